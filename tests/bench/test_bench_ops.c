/* SPDX-License-Identifier: Apache-2.0
 *
 * The benchmark of ops has every op of a table, on every table, with rates and ceilings that can
 * be.
 */
#include "bench/bench_ops.h"
#include "ops_tables.h"

static bool has(const ig_bench_op_list *list, const char *name)
{
    for (int i = 0; i < list->n; i++)
        if (strcmp(list->op[i].op, name) == 0)
            return true;
    return false;
}

static void every_op(void **state)
{
    (void)state;
    static ig_bench_op_list list;
    ig_err err;
    ig_team *team;
    assert_ok(ig_team_new(&team, 2, &err), &err);
    FOR_EACH_TABLE(t)
    {
        const char *name, *kernel;
        if (strstr(t->name, "emulated") != NULL) /* whose rate says nothing */
            continue;
        assert_ok(ig_bench_ops(&list, t, i_table_ == 1 ? team : NULL, 1e-3, true, &err), &err);
        for (int i = 0; ig_ops_describe(t, i, &name, &kernel); i++)
            if (!has(&list, name))
                fail_msg("no rate of %s", name);
        for (int i = 0; i < list.n; i++) {
            const ig_bench_op *o = &list.op[i];
            assert_true(o->rate > 1e-4 && o->rate < 1e6 && o->per_second > 0);
            /* No arithmetic is above its ceiling; nothing is a hundred times memcpy. */
            assert_true(o->arithmetic ? o->rate <= o->ceiling : o->rate < 100 * o->ceiling);
        }
    }
    ig_team_free(team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_op)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
