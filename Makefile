# make, make demo, make check [SANITIZE=1], make fuzz [FUZZ_SECONDS=...], make check-projects,
# make check-portable, make bench, make install [DESTDIR=...], make uninstall, make dist, make deb,
# make check-deb, make clean. ./configure writes config.mk.
include config.mk

# Sanitized objects stay apart from the others.
BUILD = build$(SANITIZE:1=-sanitize)
SANITIZE_FLAGS_1 = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
SANITIZE_FLAGS = $(SANITIZE_FLAGS_$(SANITIZE))

WARNINGS = -Wall -Wextra -Wshadow -Wmissing-prototypes -Wpedantic -Wconversion $(WERROR)
TEMPLATES = $(DATADIR)/dtlto-ninja/templates
WARM_FOLDER = $(LIBDIR)/dtlto-ninja
# Where each shell looks for completions; what comes with zsh looks in its own prefix and /usr/local.
BASH_COMPLETIONS = $(DATADIR)/bash-completion/completions
ZSH_COMPLETIONS = $(DATADIR)/zsh/site-functions
FISH_COMPLETIONS = $(DATADIR)/fish/vendor_completions.d
# The second is where Meson looks for native files by name.
CMAKE_MODULES = $(DATADIR)/dtlto-ninja/cmake
MESON_FILES = $(DATADIR)/meson/native
COMPILE = $(CC) -std=c17 $(FEATURES) -DVERSION='"$(VERSION)"' \
	-DTEMPLATE_FOLDER='"$(TEMPLATES)"' -DWARM_FOLDER='"$(WARM_FOLDER)"' \
	-DPROGRAM_FOLDER='"$(BINDIR)"' -iquote src \
	-iquote $(BUILD) $(JSON_CFLAGS) $(ARCHIVE_CFLAGS) $(CPPFLAGS) $(WARNINGS) $(CFLAGS) $(SANITIZE_FLAGS)
LINK = $(CC) $(CFLAGS) $(SANITIZE_FLAGS) $(LDFLAGS)

PROGRAM = $(BUILD)/dtlto-ninja
CLANG = $(BUILD)/dtlto-clang
# What both programs have, and what is each one's own.
SHARED = bitcode bitstream bundle cgroup clock deliver folder identity memory message note object \
	object-coff object-elf object-file object-macho object-wasm process processors program quote setting shard \
	signals summary tar text utf8 words
NINJA_PARTS = advice blocks channel command-form description distance edge explain explain-log \
	farm files fold guard headline headroom job jobserver json-input json-stream json-text link \
	link-run manifest ninja ninja-log options outcome parallel paths progress record replacement \
	report repro repro-names repro-sink repro-text review schedule shape tally template trace \
	unknown-keys version warm warm-socket
CLANG_PARTS = bundle-input bundle-read bundle-write carrier codeview compilation far far-check \
	far-compiler far-options far-run home home-again home-run pack patience slots
NINJA_OBJECTS = $(NINJA_PARTS:%=$(BUILD)/%.o) $(SHARED:%=$(BUILD)/%.o)
CLANG_OBJECTS = $(CLANG_PARTS:%=$(BUILD)/%.o) $(SHARED:%=$(BUILD)/%.o)
OBJECTS = $(NINJA_OBJECTS) $(CLANG_PARTS:%=$(BUILD)/%.o)
LIBS = $(JSON_LIBS) $(ARCHIVE_LIBS)
UNIT_TESTS = bitcode bundle compilation description description-messages fold headline headroom \
	json-text ninja-log note object options paths processors progress quote schedule shard \
	shard-refusals split-options summary tally
UNIT_PROGRAMS = $(UNIT_TESTS:%=$(BUILD)/test-%)
HELPERS = $(BUILD)/cut-connection $(BUILD)/hostile $(BUILD)/oracle $(BUILD)/reshard
BENCH = $(BUILD)/bench-describe $(BUILD)/bench-measure $(BUILD)/bench-peaks \
	$(BUILD)/bench-schedule $(BUILD)/bench-tree

# For --warm, where the system can have it; never sanitized, as they run with other people's programs
# and in them.
WARM_FILES = $(HAVE_WARM:yes=$(BUILD)/dtlto-warm $(BUILD)/dtlto-warm.so)
# What dtlto-ninja calls, beside itself or there.
SCRIPTS = $(BUILD)/icecream-environment
# For projects that are built with these, with the folder of the programs written into them.
CMAKE_MODULE = $(BUILD)/DtltoNinja.cmake
MESON_FILE = $(BUILD)/dtlto-ninja.ini
WARM_COMPILE = $(CC) -std=c17 $(FEATURES) -iquote src $(CPPFLAGS) $(WARNINGS) $(CFLAGS)

all: $(PROGRAM) $(CLANG) $(WARM_FILES) $(SCRIPTS) $(CMAKE_MODULE) $(MESON_FILE)

$(PROGRAM): $(BUILD)/dtlto-ninja.o $(NINJA_OBJECTS)
	$(LINK) -o $@ $(BUILD)/dtlto-ninja.o $(NINJA_OBJECTS) $(JSON_LIBS) $(TAR_LIBS)

$(CLANG): $(BUILD)/dtlto-clang.o $(CLANG_OBJECTS)
	$(LINK) -o $@ $(BUILD)/dtlto-clang.o $(CLANG_OBJECTS) $(TAR_LIBS)

# Static where that is possible: it starts once for each compilation.
$(BUILD)/dtlto-warm: src/dtlto-warm.c src/warm-socket.c src/clock.c src/*.h $(BUILD)/flags
	$(WARM_COMPILE) $(LDFLAGS) $(STATIC) -o $@ src/dtlto-warm.c src/warm-socket.c src/clock.c

WARM_SHIM = src/warm-shim.c src/warm-child.c src/warm-memory.c
$(BUILD)/dtlto-warm.so: $(WARM_SHIM) src/warm-*.h $(BUILD)/flags
	$(WARM_COMPILE) -fPIC -fvisibility=hidden -shared $(LDFLAGS) -o $@ $(WARM_SHIM) $(WARM_LIBS)

$(BUILD)/icecream-environment: contrib/icecream/icecream-environment $(BUILD)/flags
	install -m 755 contrib/icecream/icecream-environment $@

$(CMAKE_MODULE): contrib/cmake/DtltoNinja.cmake $(BUILD)/flags
$(MESON_FILE): contrib/meson/dtlto-ninja.ini $(BUILD)/flags
$(CMAKE_MODULE) $(MESON_FILE):
	bin=$$(printf '%s\n' '$(BINDIR)' | sed 's/[\\&|]/\\&/g') && sed "s|/usr/local/bin|$$bin|g" $< >$@

# Every object depends on every header: there are few, and it is always right.
$(BUILD)/%.o: src/%.c src/*.h $(BUILD)/builtin.h $(BUILD)/page.h $(BUILD)/flags
	$(COMPILE) -c -o $@ $<

# Changes when the compiler's command does: with other CFLAGS or another PREFIX, all is made anew.
$(BUILD)/flags: FORCE
	@mkdir -p $(BUILD)
	@printf '%s\n' "$$FLAGS" | cmp -s - $@ || printf '%s\n' "$$FLAGS" >$@
export FLAGS = $(COMPILE) $(LINK) $(LIBS) $(TAR_LIBS) $(STATIC) $(WARM_LIBS)

BUILTINS = local distcc icecream ccache ccache-distcc ccache-icecream
$(BUILD)/builtin.h: $(BUILTINS:%=templates/%.ninja) $(BUILD)/flags
	for t in $(BUILTINS); do \
	  echo "/* Made from templates/$$t.ninja. */"; \
	  echo "static const char builtin_$$(echo "$$t" | tr - _)[] ="; \
	  sed 's/\\/\\\\/g; s/"/\\"/g; s/.*/    "&\\n"/' "templates/$$t.ninja"; echo '    ;'; done >$@

# By lines, since a string of C need not be longer than 4095 bytes.
$(BUILD)/page.h: src/report.html $(BUILD)/flags
	{ echo '/* Made from src/report.html. */'; echo 'static const char *const page[] = {'; \
	  sed 's/\\/\\\\/g; s/"/\\"/g; s/.*/    "&\\n",/' src/report.html; echo '};'; } >$@

$(BUILD)/test-%: tests/unit/%.c tests/unit/*.h $(OBJECTS)
	$(COMPILE) $(CMOCKA_CFLAGS) -o $@ $< $(OBJECTS) $(LDFLAGS) $(LIBS) $(CMOCKA_LIBS)

# What both of these read a description with.
$(BUILD)/bench-peaks $(BUILD)/oracle: tests/helpers/jobs.c tests/helpers/jobs.h

# As the report has it.
$(BUILD)/bench-schedule: $(BUILD)/schedule.o $(BUILD)/memory.o

$(BUILD)/reshard: $(BUILD)/shard.o $(BUILD)/summary.o $(BUILD)/bitstream.o $(BUILD)/text.o $(BUILD)/memory.o

$(BUILD)/hostile: tests/helpers/hostile-texts.c tests/helpers/hostile-archives.c \
	tests/helpers/hostile.h $(BUILD)/text.o $(BUILD)/memory.o $(BUILD)/utf8.o

$(BUILD)/bench-%: tests/bench/%.c $(BUILD)/flags
	$(COMPILE) -o $@ $(filter %.c %.o,$^) $(LDFLAGS) $(JSON_LIBS) -lm

$(BUILD)/%: tests/helpers/%.c $(BUILD)/builtin.h
	$(COMPILE) -o $@ $(filter %.c %.o,$^) $(LDFLAGS) $(LIBS)

# All tests, or those of TESTS="tests/link.bats build/test-quote". The last line counts them.
TESTS = $(UNIT_PROGRAMS) tests/*.bats
check: $(PROGRAM) $(CLANG) $(WARM_FILES) $(SCRIPTS) $(HELPERS) $(BENCH) $(filter $(BUILD)/%,$(TESTS))
	BUILD='$(BUILD)' tests/run $(TESTS)

# libFuzzer, with what each target is about; tests/fuzz/run says where it leaves what it finds.
FUZZERS = $(BUILD)/fuzz-bundle $(BUILD)/fuzz-shard
FUZZ_SECONDS = 60
fuzz: $(FUZZERS)
	BUILD='$(BUILD)' FUZZ_SECONDS='$(FUZZ_SECONDS)' tests/fuzz/run $(FUZZERS)

$(BUILD)/fuzz-%: tests/fuzz/%.c src/*.c src/*.h $(BUILD)/flags
	$(FUZZ_COMPILE) -o $@ $< $(FUZZ_$*:%=src/%.c) $(LDFLAGS) $(ARCHIVE_LIBS)

FUZZ_COMPILE = clang-22 -std=c17 $(FEATURES) -iquote src $(ARCHIVE_CFLAGS) $(CPPFLAGS) $(WARNINGS) \
	-g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
FUZZ_shard = shard summary bitstream memory message signals text utf8
FUZZ_bundle = bitcode bitstream bundle bundle-input bundle-read bundle-write compilation deliver far-options identity \
	memory message process signals text utf8 words tar

# clang-tidy, with this build's flags, on all processors.
tidy: $(BUILD)/builtin.h $(BUILD)/page.h
	printf '%s\n' src/*.c | xargs -n 4 -P "$$(getconf _NPROCESSORS_ONLN)" sh -c \
		'flags=$$1; shift; eval "exec clang-tidy-22 --quiet \"\$$@\" -- $$flags"' sh "$$TIDY_FLAGS"
tidy: export TIDY_FLAGS = $(filter-out $(CC),$(COMPILE))

unit-tests: $(UNIT_PROGRAMS)
helpers: $(HELPERS) $(BENCH)

demo: $(PROGRAM)
	tests/demo/run $(PROGRAM)

# Times every way to link real programs, fits the memory of their compilations, and measures what a
# farm costs; takes over an hour. tests/bench/run says what may be chosen.
bench: $(PROGRAM) $(CLANG) $(HELPERS) $(BENCH)
	BUILD='$(BUILD)' tests/bench/run
	BUILD='$(BUILD)' tests/bench/memory
	BUILD='$(BUILD)' tests/bench/farm

# Other projects, built through dtlto-ninja with the README's recipes, and their own tests.
check-projects: $(PROGRAM)
	BUILD='$(BUILD)' tests/projects/run

# This project with other compilers and C libraries, and for other processors. tests/portable/run
# says what may be chosen, and installs what is missing where it is told to.
check-portable:
	BUILD='$(BUILD)' tests/portable/run

# Other versions of ninja than the system's, for the tests; from the npm registry.
ninjas:
	tests/fetch-ninjas build/ninjas

install: all
	mkdir -p '$(DESTDIR)$(BINDIR)' '$(DESTDIR)$(TEMPLATES)' '$(DESTDIR)$(WARM_FOLDER)' \
		'$(DESTDIR)$(MANDIR)/man1' '$(DESTDIR)$(BASH_COMPLETIONS)' '$(DESTDIR)$(ZSH_COMPLETIONS)' \
		'$(DESTDIR)$(FISH_COMPLETIONS)' '$(DESTDIR)$(CMAKE_MODULES)' '$(DESTDIR)$(MESON_FILES)'
	install -m 755 $(PROGRAM) $(CLANG) '$(DESTDIR)$(BINDIR)'
	install -m 644 templates/*.ninja '$(DESTDIR)$(TEMPLATES)'
	install -m 644 $(CMAKE_MODULE) '$(DESTDIR)$(CMAKE_MODULES)'
	install -m 644 $(MESON_FILE) '$(DESTDIR)$(MESON_FILES)'
	for f in $(WARM_FILES) $(SCRIPTS) contrib/distcc/setup-node; do \
		install -m 755 "$$f" '$(DESTDIR)$(WARM_FOLDER)' || exit; done
	install -m 644 src/dtlto-ninja.1 src/dtlto-clang.1 '$(DESTDIR)$(MANDIR)/man1'
	for p in dtlto-ninja dtlto-clang; do \
		install -m 644 contrib/completions/$$p.bash '$(DESTDIR)$(BASH_COMPLETIONS)'/$$p && \
		install -m 644 contrib/completions/_$$p '$(DESTDIR)$(ZSH_COMPLETIONS)' && \
		install -m 644 contrib/completions/$$p.fish '$(DESTDIR)$(FISH_COMPLETIONS)' || exit; done

# Folders that other programs have things in stay.
uninstall:
	for p in dtlto-ninja dtlto-clang; do rm -f '$(DESTDIR)$(BINDIR)'/$$p \
		'$(DESTDIR)$(MANDIR)/man1'/$$p.1 '$(DESTDIR)$(BASH_COMPLETIONS)'/$$p \
		'$(DESTDIR)$(ZSH_COMPLETIONS)'/_$$p '$(DESTDIR)$(FISH_COMPLETIONS)'/$$p.fish; done
	for t in templates/*.ninja; do rm -f '$(DESTDIR)$(TEMPLATES)'/"$${t##*/}"; done
	for f in dtlto-warm dtlto-warm.so icecream-environment setup-node; do \
		rm -f '$(DESTDIR)$(WARM_FOLDER)'/$$f; done
	rm -f '$(DESTDIR)$(CMAKE_MODULES)/DtltoNinja.cmake' '$(DESTDIR)$(MESON_FILES)/dtlto-ninja.ini'
	-rmdir '$(DESTDIR)$(WARM_FOLDER)' '$(DESTDIR)$(TEMPLATES)' '$(DESTDIR)$(CMAKE_MODULES)' \
		'$(DESTDIR)$(DATADIR)/dtlto-ninja' 2>/dev/null

# The release archive. Equal sources make an equal archive: the files that git knows, all with the
# time of the last commit; or, where this is an unpacked archive itself, all files with the time that
# they have there. For GNU tar.
DIST = dtlto-ninja-$(VERSION)
SHIPPED = .ci .clang-format .clang-tidy .gitignore CONTRIBUTING.md LICENSE Makefile NEWS.md README.md \
	SECURITY.md configure contrib src templates tests
dist:
	mkdir -p build
	if [ -e .git ]; then git ls-files -z -- $(SHIPPED); else find $(SHIPPED) ! -type d -print0; fi >build/files
	LC_ALL=C sort -z -o build/files build/files
	epoch=$${SOURCE_DATE_EPOCH:-$$(if [ -e .git ]; then git log -1 --format=%ct; \
		else date -r configure +%s; fi)} && \
	tar -cf build/$(DIST).tar --null --verbatim-files-from -T build/files --format=ustar \
		--mtime="@$$epoch" --owner=0 --group=0 --numeric-owner --mode=u+rw,go+r,go-w,a+X \
		--transform='s,^,$(DIST)/,S'
	gzip -9nf build/$(DIST).tar
	rm build/files
	@echo build/$(DIST).tar.gz

# Debian packages in build/deb; and the same, checked, installed in a new Debian and removed again.
deb: dist
	contrib/debian-build build/$(DIST).tar.gz build/deb
check-deb: deb
	contrib/debian-check build/deb

clean:
	rm -rf build build-sanitize

FORCE:
.PHONY: FORCE all check check-projects check-portable fuzz tidy unit-tests helpers demo bench ninjas \
	install uninstall dist deb check-deb clean
