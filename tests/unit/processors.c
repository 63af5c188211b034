/* How many processors there are, under false /proc and /sys. */
#ifdef HAVE_SCHED_GETAFFINITY
#define _GNU_SOURCE
#include <sched.h>
#endif

#include "processors.h"

#include "unit.h"

/* The root of the false files, new for each test. */
static struct text root;
static int processors; /* that the machine lets this process use */

static int set_up(void **state)
{
    if (enter_folder(state) != 0)
        return -1;
    text_clear(&root);
    text_puts(&root, unit_folder);
    make_directories("proc/self");
    make_directories("sys/fs/cgroup");
    processors = processors_available(unit_folder);
    return 0;
}

static int tear_down(void **state)
{
    text_free(&root);
    return leave_folder(state);
}

/* Which groups the process is in. */
static void set_groups(const char *lines)
{
    write_string("proc/self/cgroup", lines);
}

/* Writes the file NAME of the group in the folder GROUP under /sys/fs/cgroup. */
static void set_limit(const char *group, const char *name, const char *value)
{
    struct text path = {0};

    text_printf(&path, "sys/fs/cgroup%s%s", *group ? "/" : "", group);
    make_directories(path.data);
    text_printf(&path, "/%s", name);
    write_string(path.data, value);
    text_free(&path);
}

static void assert_available(int most)
{
    assert_int_equal(processors_available(root.data), most < processors ? most : processors);
}

static void assert_all_available(void)
{
    assert_int_equal(processors_available(root.data), processors);
}

static void without_groups_the_affinity_counts(void **state)
{
    (void)state;
    assert_true(processors >= 1);
    assert_true(processors <= sysconf(_SC_NPROCESSORS_CONF));
    assert_int_equal(processors_available("/nowhere"), processors);
    set_groups("");
    assert_all_available();
    set_groups("0::/\n");
    assert_all_available();
}

#ifdef HAVE_SCHED_GETAFFINITY
/* Leaves this process, which is a child of the test, one processor of those it has. */
static bool one_is_available_on_one(void *context)
{
    cpu_set_t set;
    size_t cpu = 0;

    (void)context;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) != processors)
        return false;
    while (!CPU_ISSET(cpu, &set))
        cpu++;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0 && processors_available("/nowhere") == 1;
}

static void an_affinity_mask_counts(void **state)
{
    (void)state;
    assert_int_equal(in_child(one_is_available_on_one, NULL, 10), 0);
}
#endif

static void quotas_of_version_2(void **state)
{
    static const struct {
        const char *line;
        int available;
    } examples[] = {
        {"max 100000\n", INT32_MAX}, {"50000 100000\n", 1},          {"100000 100000\n", 1},
        {"100001 100000\n", 2},      {"150000 100000\n", 2},         {"200000 100000\n", 2},
        {"250000 100000\n", 3},      {"1000 100000\n", 1},           {"10000 10000\n", 1},
        {"20000 10000", 2},          {"1000000000 100000\n", 10000}, {"", INT32_MAX},
        {"\n", INT32_MAX},           {"nonsense\n", INT32_MAX},      {"50000\n", INT32_MAX},
        {"50000 0\n", INT32_MAX},
    };
    (void)state;
    set_groups("0::/a\n");
    for (size_t i = 0; i < LENGTH(examples); i++) {
        set_limit("a", "cpu.max", examples[i].line);
        assert_available(examples[i].available);
    }
}

static void the_lowest_quota_of_all_groups_around_counts(void **state)
{
    static const char *const groups[] = {"", "a", "a/b", "a/b/c"};

    (void)state;
    set_groups("0::/a/b/c\n");
    for (size_t i = 0; i < LENGTH(groups); i++)
        set_limit(groups[i], "cpu.max", "max 100000\n");
    assert_all_available();
    for (size_t i = 0; i < LENGTH(groups); i++) {
        set_limit(groups[i], "cpu.max", "50000 100000\n");
        assert_available(1);
        set_limit(groups[i], "cpu.max", "150000 100000\n");
        assert_available(2);
        set_limit(groups[(i + 1) % LENGTH(groups)], "cpu.max", "90000 100000\n");
        assert_available(1);
        set_limit(groups[(i + 1) % LENGTH(groups)], "cpu.max", "max 100000\n");
        set_limit(groups[i], "cpu.max", "max 100000\n");
    }
}

static void other_groups_do_not_count(void **state)
{
    (void)state;
    set_limit("a/b", "cpu.max", "max 100000\n");
    set_limit("a/b/c", "cpu.max", "50000 100000\n");
    set_limit("a/bb", "cpu.max", "50000 100000\n");
    set_limit("b", "cpu.max", "50000 100000\n");
    set_groups("0::/a/b\n");
    assert_all_available();
}

/* In a container, the group's name may be one outside of it; its limit is at the root. */
static void a_group_that_is_not_there(void **state)
{
    (void)state;
    set_groups("0::/docker/0123456789abcdef\n");
    set_limit("", "cpu.max", "50000 100000\n");
    assert_available(1);
}

static void a_group_with_a_colon(void **state)
{
    (void)state;
    set_groups("0::/a:b/c\n");
    set_limit("a:b", "cpu.max", "50000 100000\n");
    assert_available(1);
}

static void quotas_of_version_1(void **state)
{
    static const struct {
        const char *quota, *period;
        int available;
    } examples[] = {
        {"-1\n", "100000\n", INT32_MAX},
        {"50000\n", "100000\n", 1},
        {"100000\n", "100000\n", 1},
        {"150000\n", "100000\n", 2},
        {"20000\n", "10000\n", 2},
        {"900000\n", "100000\n", 9},
        {"nonsense\n", "100000\n", INT32_MAX},
    };
    (void)state;
    set_groups("12:cpuset:/\n4:cpu,cpuacct:/a/b\n1:name=systemd:/x\n");
    for (size_t i = 0; i < LENGTH(examples); i++) {
        set_limit("cpu,cpuacct/a/b", "cpu.cfs_quota_us", examples[i].quota);
        set_limit("cpu,cpuacct/a/b", "cpu.cfs_period_us", examples[i].period);
        assert_available(examples[i].available);
    }
}

/* Where a system makes "cpu" the folder and "cpu,cpuacct" a link to it, or mounts "cpu" alone. */
static void version_1_under_its_short_name(void **state)
{
    (void)state;
    set_limit("cpu/a", "cpu.cfs_quota_us", "50000\n");
    set_limit("cpu/a", "cpu.cfs_period_us", "100000\n");
    set_groups("4:cpu:/a\n");
    assert_available(1);
    set_groups("4:cpuacct,cpu:/a\n");
    assert_available(1);
    set_groups("4:cpuacct:/a\n3:cpuset,cpus:/a\n");
    assert_all_available();
}

static void version_1_around_the_group(void **state)
{
    (void)state;
    set_groups("4:cpu,cpuacct:/a/b\n");
    set_limit("cpu,cpuacct/a/b", "cpu.cfs_quota_us", "-1\n");
    set_limit("cpu,cpuacct/a/b", "cpu.cfs_period_us", "100000\n");
    set_limit("cpu,cpuacct/a", "cpu.cfs_quota_us", "40000\n");
    set_limit("cpu,cpuacct/a", "cpu.cfs_period_us", "100000\n");
    assert_available(1);
    /* A quota without its period says nothing. */
    assert_int_equal(unlink("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us"), 0);
    assert_all_available();
    set_limit("cpu,cpuacct", "cpu.cfs_quota_us", "40000\n");
    set_limit("cpu,cpuacct", "cpu.cfs_period_us", "100000\n");
    assert_available(1);
}

/* Both versions at once: version 2 is mounted as "unified". */
static void both_versions(void **state)
{
    (void)state;
    set_groups("4:cpu,cpuacct:/a\n0::/b\n");
    set_limit("cpu,cpuacct/a", "cpu.cfs_quota_us", "-1\n");
    set_limit("cpu,cpuacct/a", "cpu.cfs_period_us", "100000\n");
    set_limit("unified/b", "cpu.max", "max 100000\n");
    assert_all_available();
    set_limit("unified/b", "cpu.max", "50000 100000\n");
    assert_available(1);
    set_limit("unified/b", "cpu.max", "max 100000\n");
    set_limit("cpu,cpuacct/a", "cpu.cfs_quota_us", "50000\n");
    assert_available(1);
}

static void nonsense_in_the_list_of_groups(void **state)
{
    static const char *const lists[] = {"\n",     ":",      "::",       "0::",       "0:cpu",
                                        "x\ny\n", "0::a\n", "4:,,:/\n", "4:cpu,:/\n"};
    (void)state;
    for (size_t i = 0; i < LENGTH(lists); i++) {
        set_groups(lists[i]);
        assert_all_available();
    }
}

static void never_less_than_one(void **state)
{
    (void)state;
    set_groups("0::/\n");
    set_limit("", "cpu.max", "1 1000000\n");
    assert_int_equal(processors_available(root.data), 1);
}

/* Whatever limits this very machine has. */
static void the_real_files(void **state)
{
    int count = processors_available("");

    (void)state;
    assert_in_range(count, 1, processors);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(without_groups_the_affinity_counts),
#ifdef HAVE_SCHED_GETAFFINITY
        TEST(an_affinity_mask_counts),
#endif
        TEST(quotas_of_version_2),
        TEST(the_lowest_quota_of_all_groups_around_counts),
        TEST(other_groups_do_not_count),
        TEST(a_group_that_is_not_there),
        TEST(a_group_with_a_colon),
        TEST(quotas_of_version_1),
        TEST(version_1_under_its_short_name),
        TEST(version_1_around_the_group),
        TEST(both_versions),
        TEST(nonsense_in_the_list_of_groups),
        TEST(never_less_than_one),
        TEST(the_real_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
