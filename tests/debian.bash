# shellcheck shell=bash
# shellcheck disable=SC2154 # $folder is the caller's
# Debian's packages and their sources, for what builds real programs: the benchmarks, and the checks
# of other projects and other systems. Whoever sources this sets $folder, an absolute path, where
# all of it is kept.
#
# The sources come from where this machine's apt gets its packages. /etc/apt is not changed: apt is
# given lists and state of its own, in $folder/apt. Missing packages are installed only by root.

# The options that make apt see deb-src where the system has deb.
debian_apt() {
	apt-get \
		-o "Dir::Etc::SourceList=$folder/apt/sources.list" \
		-o "Dir::Etc::SourceParts=$folder/apt/parts" \
		-o "Dir::State::Lists=$folder/apt/lists" \
		-o "Dir::Cache=$folder/apt/cache" \
		-o APT::Sandbox::User= -o APT::Get::List-Cleanup=0 -qq "$@"
}

prepare_apt() {
	[[ ! -e $folder/apt/ready ]] || return 0
	local file
	mkdir -p "$folder"/apt/{parts,lists/partial,cache/archives/partial}
	: >"$folder/apt/sources.list"
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[[ ! -f $file ]] || sed -n 's/^deb[[:blank:]]/deb-src /p' "$file" >>"$folder/apt/sources.list"
	done
	for file in /etc/apt/sources.list.d/*.sources; do
		[[ ! -f $file ]] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$folder/apt/parts/${file##*/}"
	done
	# Somebody's own repository may have no sources: what matters is whether apt-get source works.
	debian_apt update || true
	if compgen -G "$folder/apt/lists/*Sources*" >/dev/null; then
		touch "$folder/apt/ready"
	fi
}

# Prints those of the packages that are not installed.
missing_packages() { # PACKAGE ...
	local package missing=()
	for package; do
		[[ $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) == *' installed' ]] || missing+=("$package")
	done
	echo "${missing[*]}"
}

# Installs the packages that are missing, or says which.
packages() { # PACKAGE ...
	local missing
	read -ra missing <<<"$(missing_packages "$@")"
	((${#missing[@]})) || return 0
	if [[ $(id -u) != 0 ]]; then
		echo "missing: ${missing[*]}"
		return 1
	fi
	{
		apt-get -qq update
		DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${missing[@]}"
	} >"$folder/packages.log" 2>&1 || {
		echo "cannot install ${missing[*]}: see $folder/packages.log"
		return 1
	}
}

# The sources of the Debian package $2 as the folder $folder/$1/tree. What apt says is in
# $folder/$1/source.log.
unpack() { # NAME SOURCE
	local unpacked
	mkdir -p "$folder/$1/source"
	prepare_apt >"$folder/$1/source.log" 2>&1 || return
	(
		cd "$folder/$1/source"
		debian_apt source --only-source "$2"
	) >>"$folder/$1/source.log" 2>&1 || return
	for unpacked in "$folder/$1"/source/*/; do
		mv "$unpacked" "$folder/$1/tree"
	done
}
