/* SPDX-License-Identifier: Apache-2.0
 *
 * base/options: values from the command line and from files, the precedence between them, every
 * message word for word, the JSON record and back.
 */
#include "fault.h"

#include "base/memory.h"
#include "fuzz/option_table.h"

static void start(fuzz_config *c)
{
    ig_err err;
    memset(c, 0, sizeof *c);
    assert_ok(ig_options_default(&fuzz_options, c, &err), &err);
}

/* Arguments separated by blanks. */
static ig_code parse(fuzz_config *c, const char *line, int *n_arg, char arg0[64], ig_err *err)
{
    char copy[512], *argv[64], *arg[64];
    int argc = 0;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *p = strtok(copy, " "); p != NULL; p = strtok(NULL, " "))
        argv[argc++] = p;
    ig_code code =
        ig_options_parse(&fuzz_options, c, &(ig_arguments){argc, argv, arg, n_arg, NULL}, err);
    arg0[0] = '\0';
    if (code == IG_ERR_OK && *n_arg > 0)
        snprintf(arg0, 64, "%s", arg[0]);
    return code;
}

static void command_line_values(void **state)
{
    (void)state;
    fuzz_config c;
    ig_err err;
    int n_arg;
    char arg0[64];
    start(&c);
    assert_int_equal(c.batch, 256);
    assert_true(c.lr == 2e-3);
    assert_int_equal(c.layers.n, 2);
    assert_null(c.name);
    assert_ok(parse(&c,
                    "--batch 10k --lr=0.5 in.txt --pad-attend --variant paper-code "
                    "--layers 0,1,1.2e1 "
                    "--name=x=y - -- --vocab",
                    &n_arg, arg0, &err),
              &err);
    assert_int_equal(c.batch, 10000);
    assert_true(c.lr == 0.5);
    assert_true(c.pad_attend);
    assert_int_equal(c.variant, 2);
    assert_int_equal(c.layers.n, 3);
    assert_int_equal(c.layers.v[2], 12);
    assert_string_equal(c.name, "x=y");
    assert_int_equal(n_arg, 3);
    assert_string_equal(arg0, "in.txt");
    ig_options_free(&fuzz_options, &c);
    start(&c);
    assert_ok(parse(&c, "--no-pad_attend -h --name -1", &n_arg, arg0, &err), &err);
    assert_false(c.pad_attend);
    assert_true(c.help);
    assert_string_equal(c.name, "-1");
    ig_options_free(&fuzz_options, &c);
    assert_null(c.name);
}

/* Who asks for no message gets the failure all the same. */
static void nobody_listens(void **state)
{
    (void)state;
    assert_int_equal(ig_hint(NULL, "try %s", "again"), IG_ERR_INPUT);
    assert_int_equal(ig_fail(NULL, IG_ERR_USAGE, "", 0, "wrong"), IG_ERR_USAGE);
}

static void command_line_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *line, *where, *msg, *hint;
    } rows[] = {
        {"--bacth 1", "", "unknown option '--bacth'", "did you mean '--batch'?"},
        {"--wholly-else 1", "", "unknown option '--wholly-else'", ""},
        {"-z", "", "unknown option '-z'", ""},
        {"-hh", "", "unknown option '-hh'", ""},
        {"--no-batch", "", "unknown option '--no-batch'", ""},
        {"--batch", "--batch", "found nothing, expected an integer from 1 to 65536", ""},
        {"--batch --lr", "--batch", "found nothing, expected an integer from 1 to 65536", ""},
        {"--batch 0", "--batch", "found 0, expected an integer from 1 to 65536", ""},
        {"--batch 1.5", "--batch", "found '1.5', expected an integer from 1 to 65536", ""},
        {"--batch 99999999999G", "--batch",
         "found '99999999999G', expected an integer from 1 to 65536", ""},
        {"--batch 0x10", "--batch", "found '0x10', expected an integer from 1 to 65536", ""},
        {"--lr nan", "--lr", "found 'nan', expected a number from 0 to 1", ""},
        {"--lr 1e999", "--lr", "found '1e999', expected a number from 0 to 1", ""},
        {"--lr 1e-400", "--lr", "found '1e-400', expected a number from 0 to 1", ""},
        {"--lr 1e-320", "--lr", "found 9.99988867183e-321, expected a number from 0 to 1",
         "0, or at least float32's smallest number, 1.18e-38"},
        {"--lr 1e-38", "--lr", "found 1e-38, expected a number from 0 to 1",
         "0, or at least float32's smallest number, 1.18e-38"},
        {"--lr 0x1p-4", "--lr", "found '0x1p-4', expected a number from 0 to 1", ""},
        {"--lr 1_0", "--lr", "found '1_0', expected a number from 0 to 1", ""},
        {"--lr ,5", "--lr", "found ',5', expected a number from 0 to 1", ""},
        {"--lr 0,5", "--lr", "found '0,5', expected a number from 0 to 1", ""},
        {"--lr -1e-3", "--lr", "found -0.001, expected a number from 0 to 1", ""},
        {"--variant paper-txt", "--variant",
         "found 'paper-txt', expected one of fixed, paper-text, paper-code",
         "did you mean 'paper-text'?"},
        {"--layers 1,,2", "--layers",
         "found '1,,2', expected at most 256 integers from 0 to 64, such as 0,8", ""},
        {"--layers 1,65", "--layers",
         "found 65, expected at most 256 integers from 0 to 64, such as 0,8", ""},
        {"--vocab=", "--vocab", "found '', expected a file name", ""},
        {"--pad-attend=yes", "--pad-attend", "found 'yes', expected true or false", ""},
        {"--no-pad-attend=true", "--no-pad-attend=true",
         "found a value, expected none after --no-pad-attend", ""},
        {"--batch 1 --batch 1", "--batch", "found twice, expected once", ""},
        {"--pad-attend --no-pad-attend", "--pad-attend", "found twice, expected once", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fuzz_config c;
        ig_err err = {0};
        int n_arg;
        char arg0[64];
        start(&c);
        assert_int_equal(parse(&c, rows[i].line, &n_arg, arg0, &err), IG_ERR_USAGE);
        assert_string_equal(err.msg, rows[i].msg);
        assert_string_equal(err.where, rows[i].where);
        assert_string_equal(err.hint, rows[i].hint);
        ig_options_free(&fuzz_options, &c);
    }
}

static void file_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line;
        const char *msg, *hint;
    } rows[] = {
        {"# comment\nbatch: 1\n\nbacth: 2\n", 4, "unknown key 'bacth'", "did you mean 'batch'?"},
        {"batch: 1\nlr: 1\nbatch: 1\n", 3, "batch: found twice, expected once (first in line 1)",
         ""},
        {"pad-attend: true\npad_attend: true\n", 2,
         "pad_attend: found twice, expected once (first in line 1)", ""},
        {"{\"batch\": 1,\n \"batch\": 1}", 2, "batch: found twice, expected once (first in line 1)",
         ""},
        {"batch: many\n", 1, "batch: found 'many', expected an integer from 1 to 65536", ""},
        {"batch: \"7\"\n", 1, "batch: found the text \"7\", expected an integer from 1 to 65536",
         ""},
        {"batch: 70000\n", 1, "batch: found 70000, expected an integer from 1 to 65536", ""},
        {"batch: [7]\n", 1, "batch: found a list, expected an integer from 1 to 65536", ""},
        {"batch: {a: 7}\n", 1, "batch: found a mapping, expected an integer from 1 to 65536", ""},
        {"batch:\n", 1, "batch: found null, expected an integer from 1 to 65536", ""},
        {"pad_attend: yes\n", 1, "pad-attend: found 'yes', expected true or false", ""},
        {"variant: fixd\n", 1,
         "variant: found 'fixd', expected one of fixed, paper-text, paper-code",
         "did you mean 'fixed'?"},
        {"layers: [1,\n 2.5]\n", 2,
         "layers: found '2.5', expected at most 256 integers from 0 to 64, such as 0,8", ""},
        {"layers: [1, [2]]\n", 1, "found a list, expected one value", ""},
        {"config: x.yaml\n", 1, "config: found a further configuration file, expected a file name",
         ""},
        {"- batch\n", 1, "found a list, expected lines of 'key: value'", ""},
        {"batch: &x 1\n", 1, "found an anchor or a tag, expected one value", ""},
        {"batch: 1\n---\nbatch: 2\n", 2, "found a second document, expected one", ""},
        {"name: b: c\n", 1,
         "not valid YAML: mapping values are not allowed in this context (column 8)", ""},
        {"name: \xff\n", 1, "found bytes that are not UTF-8 text (invalid leading UTF-8 octet)",
         "if it is Latin-1: iconv -f LATIN1 -t UTF-8 FILE >NEW"},
        {"name: a\nvocab: \"\\0\"\n", 2, "found a zero byte, expected one value", ""},
    };
    char dir[128], path[160];
    ig_err err;
    fault_folder(dir, sizeof dir);
    snprintf(path, sizeof path, "%s/conf.yaml", dir);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fuzz_config c;
        start(&c);
        assert_ok(ig_file_write(path, rows[i].text, (int64_t)strlen(rows[i].text), &err), &err);
        memset(&err, 0, sizeof err);
        assert_int_equal(ig_options_file(&fuzz_options, &c, path, NULL, &err), IG_ERR_USAGE);
        assert_string_equal(err.msg, rows[i].msg);
        assert_string_equal(err.where, path);
        assert_int_equal(err.line, rows[i].line);
        assert_string_equal(err.hint, rows[i].hint);
        ig_options_free(&fuzz_options, &c);
    }
    assert_ok(ig_dir_remove(dir, &err), &err);
}

/* Command line over file over default; paths are relative to the file that names them. */
static void precedence(void **state)
{
    (void)state;
    static const char text[] =
        "\xEF\xBB\xBF# run\nbatch: 12\nlr: 1\nlayers: [3, 4]\nvocab: v/vocab.txt\n"
        "name: ~\npad_attend: true\n";
    char dir[128], path[160], line[256], want[200], arg0[64];
    int n_arg;
    ig_err err;
    fuzz_config c;
    fault_folder(dir, sizeof dir);
    snprintf(path, sizeof path, "%s/conf.yaml", dir);
    assert_ok(ig_file_write(path, text, sizeof text - 1, &err), &err);
    start(&c);
    snprintf(line, sizeof line, "--lr 0.25 --config %s --no-pad-attend", path);
    assert_ok(parse(&c, line, &n_arg, arg0, &err), &err);
    assert_int_equal(c.batch, 12);
    assert_true(c.lr == 0.25);
    assert_false(c.pad_attend);
    assert_int_equal(c.layers.v[1], 4);
    assert_int_equal(c.variant, 0);
    snprintf(want, sizeof want, "%s/v/vocab.txt", dir);
    assert_string_equal(c.vocab, want);
    assert_null(c.name);

    /* The record reads back to itself, as JSON and as a configuration file. */
    json_t *record = ig_options_json(&fuzz_options, &c);
    assert_non_null(record);
    assert_null(json_object_get(record, "config"));
    assert_true(json_is_false(json_object_get(record, "pad_attend")));
    fuzz_config again;
    memset(&again, 0, sizeof again);
    assert_ok(ig_options_from_json(&fuzz_options, &again, record, "record", &err), &err);
    json_t *second = ig_options_json(&fuzz_options, &again);
    assert_true(json_equal(record, second));
    json_decref(second);
    ig_options_free(&fuzz_options, &again);
    char *dump = json_dumps(record, JSON_INDENT(2));
    assert_ok(ig_file_write(path, dump, (int64_t)strlen(dump), &err), &err);
    free(dump);
    start(&again);
    assert_ok(ig_options_file(&fuzz_options, &again, path, NULL, &err), &err);
    second = ig_options_json(&fuzz_options, &again);
    assert_true(json_equal(record, second));
    json_decref(second);
    ig_options_free(&fuzz_options, &again);

    /* A key that the command line has set is checked all the same. */
    assert_ok(ig_file_write(path, "lr: 7\n", 6, &err), &err);
    start(&again);
    snprintf(line, sizeof line, "--lr 0.25 --config %s", path);
    assert_int_equal(parse(&again, line, &n_arg, arg0, &err), IG_ERR_USAGE);
    assert_string_equal(err.msg, "lr: found 7, expected a number from 0 to 1");
    ig_options_free(&fuzz_options, &again);

    /* JSON is as strict as a file. */
    json_object_set_new(record, "batch", json_string("12"));
    start(&again);
    assert_int_equal(ig_options_from_json(&fuzz_options, &again, record, "record", &err),
                     IG_ERR_USAGE);
    assert_string_equal(err.msg, "batch: found a text, expected an integer from 1 to 65536");
    ig_options_free(&fuzz_options, &again);
    json_decref(record);
    ig_options_free(&fuzz_options, &c);
    assert_ok(ig_dir_remove(dir, &err), &err);
}

static void nearest(void **state)
{
    (void)state;
    static const char *const words[] = {"train", "eval", "corpus", "tokenize", "bench"};
    assert_string_equal(ig_nearest("trian", words, 5), "train");
    assert_string_equal(ig_nearest("evl", words, 5), "eval");
    assert_string_equal(ig_nearest("Tokenise", words, 5), "tokenize");
    assert_string_equal(ig_nearest("corpuss", words, 5), "corpus");
    assert_null(ig_nearest("xxxxx", words, 5));
    assert_null(ig_nearest("", words, 5));
    assert_null(ig_nearest("train", words, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(command_line_values),
        cmocka_unit_test(nobody_listens),
        cmocka_unit_test(command_line_mistakes),
        cmocka_unit_test(file_mistakes),
        cmocka_unit_test(precedence),
        cmocka_unit_test(nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
