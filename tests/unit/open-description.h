/* What the tests of job descriptions share: examples, and a description that is open. */
#ifndef OPEN_DESCRIPTION_H
#define OPEN_DESCRIPTION_H

#include "description.h"
#include "unit.h"

/* The flat shape as LLVM's docs/DTLTO.rst shows it, with two outputs a job. */
static const char flat[] =
    "{\"common\":{\"linker_output\":\"dtlto.elf\","
    "\"args\":[\"/usr/bin/clang\",\"-O2\",\"-c\",\"-fprofile-sample-use=my.prof\"],"
    "\"inputs\":[\"my.prof\"]},\n"
    " \"jobs\":[{\"args\":[\"t1.o\",\"-fthinlto-index=t1.o.thinlto.bc\",\"-o\",\"t1.native.o\","
    "\"-fproc-stat-report=t1.stats.txt\"],\"inputs\":[\"t1.o\",\"t1.o.thinlto.bc\"],"
    "\"outputs\":[\"t1.native.o\",\"t1.stats.txt\"]},\n"
    "         {\"args\":[\"t2.o\",\"-fthinlto-index=t2.o.thinlto.bc\",\"-o\",\"t2.native.o\","
    "\"-fproc-stat-report=t2.stats.txt\"],\"inputs\":[\"t2.o\",\"t2.o.thinlto.bc\"],"
    "\"outputs\":[\"t2.native.o\",\"t2.stats.txt\"]}]}\n";

/* The reference shape of early 2025, after its documentation. */
static const char references[] =
    "{\"common\":{\"linker_output\":\"dtlto.elf\",\"linker_version\":\"LLD 20.0.0\","
    "\"args\":[\"/usr/local/clang\",\"-O3\",\"-fprofile-sample-use=my.profdata\",\"-o\","
    "[\"primary_output\",0],\"-c\",\"-x\",\"ir\",[\"primary_input\",0],"
    "[\"summary_index\",\"-fthinlto-index=\",0]]},"
    "\"jobs\":[{\"primary_input\":[\"t1.o\"],\"summary_index\":[\"t1.1.77380.native.o.thinlto.bc\"]"
    ","
    "\"primary_output\":[\"t1.1.77380.native.o\"],\"imports\":[\"t2.o\"],"
    "\"additional_inputs\":[\"my.profdata\"]},"
    "{\"primary_input\":[\"t2.o\"],\"summary_index\":[\"t2.2.77380.native.o.thinlto.bc\"],"
    "\"primary_output\":[\"t2.2.77380.native.o\"],\"imports\":[],"
    "\"additional_inputs\":[\"my.profdata\"],\"additional_outputs\":[\"t2.stats.txt\"]}]}";

/* A description of the flat shape up to its first job. */
#define HEAD "{\"common\":{\"linker_output\":\"x\",\"args\":[\"c\"],\"inputs\":[]},\"jobs\":["

/* A description of the reference shape with ARGS, a string literal, in common.args, and one job
 * with all arrays there are. */
#define REFERENCES(args)                                                                           \
    "{\"common\":{\"linker_output\":\"x\",\"args\":[\"c\"," args "]},\"jobs\":[{"                  \
    "\"primary_input\":[\"p\"],\"summary_index\":[\"s\"],\"primary_output\":[\"o\"],"              \
    "\"imports\":[\"i0\",\"i 1\",\"\303\251\"],\"additional_inputs\":[\"ai\"],"                    \
    "\"additional_outputs\":[\"ao0\",\"ao1\"]}]}"

/* A description that is open; "d.json" is its name, as in the messages. */
static struct description *description;
static struct job job;

/* Opens the description JSON. */
static inline void begin(const char *json)
{
    enum status status = STATUS_FAILED;

    write_string("d.json", json);
    job = (struct job){0};
    description = description_open("d.json", &status);
    assert_non_null(description);
    assert_int_equal(status, STATUS_OK);
}

/* Reads the next job; there must be one. */
static inline void next(void)
{
    enum status status = STATUS_FAILED;

    assert_true(description_next(description, &job, &status));
    assert_int_equal(status, STATUS_OK);
}

/* Closes the description, which must have no more jobs. */
static inline void finish(void)
{
    enum status status = STATUS_FAILED;

    assert_false(description_next(description, &job, &status));
    assert_int_equal(status, STATUS_OK);
    description_close(description);
    job_free(&job);
}

#endif
