/* How much memory may be taken, with files that stand in for those of /proc and /sys. */
#include "headroom.h"

#include "unit.h"

static void put(const char *path, const char *content)
{
    char folder[256];

    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = folder; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(folder, 0777);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(content, file);
    assert_int_equal(fclose(file), 0);
}

static const char meminfo[] = "MemTotal:       2000000 kB\n"
                              "MemAvailableX:       1 kB\n"
                              "MemAvailable:   1000000 kB\n";

static void what_the_kernel_says(void **state)
{
    (void)state;
    put("a/proc/meminfo", meminfo);
    assert_true(headroom_available("a") == 1000000.0 * 1024);
    assert_true(headroom_available("nowhere") < 0);
}

static void limits_of_version_2(void **state)
{
    (void)state;
    put("b/proc/meminfo", meminfo);
    put("b/proc/self/cgroup", "0::/outer/inner\n");
    put("b/sys/fs/cgroup/outer/inner/memory.max", "max\n");
    put("b/sys/fs/cgroup/outer/inner/memory.current", "5000\n");
    assert_true(headroom_available("b") == 1000000.0 * 1024);
    put("b/sys/fs/cgroup/outer/memory.max", "300000\n");
    put("b/sys/fs/cgroup/outer/memory.current", "200000\n");
    assert_true(headroom_available("b") == 100000);
    /* What only the cache holds can be had. */
    put("b/sys/fs/cgroup/outer/memory.stat", "anon 1\nfile 9\ninactive_file 50000\n");
    assert_true(headroom_available("b") == 150000);
    put("b/sys/fs/cgroup/outer/inner/memory.max", "6000\n");
    assert_true(headroom_available("b") == 1000);
    put("b/sys/fs/cgroup/outer/inner/memory.current", "7000\n");
    assert_true(headroom_available("b") == 0);
}

static void limits_of_version_1(void **state)
{
    (void)state;
    put("c/proc/meminfo", meminfo);
    put("c/proc/self/cgroup", "7:cpu:/x\n4:memory:/job\n");
    put("c/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9223372036854771712\n");
    put("c/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "5000\n");
    assert_true(headroom_available("c") == 1000000.0 * 1024);
    put("c/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "20000\n");
    assert_true(headroom_available("c") == 15000);
    put("c/sys/fs/cgroup/memory/job/memory.stat", "inactive_file 1\ntotal_inactive_file 2000\n");
    assert_true(headroom_available("c") == 17000);
}

static void nonsense_is_no_limit(void **state)
{
    (void)state;
    put("d/proc/meminfo", "nothing\n");
    put("d/proc/self/cgroup", "0::/x\n");
    put("d/sys/fs/cgroup/x/memory.max", "many\n");
    assert_true(headroom_available("d") < 0);
}

static void the_real_files(void **state)
{
    (void)state;
    assert_true(headroom_available("") > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_kernel_says), cmocka_unit_test(limits_of_version_2),
        cmocka_unit_test(limits_of_version_1),  cmocka_unit_test(nonsense_is_no_limit),
        cmocka_unit_test(the_real_files),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
