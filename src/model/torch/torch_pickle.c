/* SPDX-License-Identifier: Apache-2.0
 *
 * The stack machine. A value is a node; tuples and dicts are runs of a list of children, so nothing
 * is nested in memory. Each opcode makes at most one node and the stack's values are consumed once,
 * so memory is linear in the pickle.
 */
#include "model/torch/torch_pickle.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

typedef enum { NONE, BOOL, INT, TEXT, GLOBAL, TUPLE, DICT, LIST, STORAGE, TENSOR, MARK } node_kind;
static const char *const kind_names[] = {"None",       "a bool",   "an integer", "a text",
                                         "a callable", "a tuple",  "a dict",     "a list",
                                         "a storage",  "a tensor", "a mark"};

/* Callables and types of storages. */
typedef enum { ORDERED_DICT, REBUILD_TENSOR, REBUILD_PARAMETER, A_STORAGE } global_kind;
static const struct {
    const char *module, *name;
    global_kind kind;
    const char *dtype;
    int item;
} globals[] = {{"collections", "OrderedDict", ORDERED_DICT, NULL, 0},
               {"torch._utils", "_rebuild_tensor_v2", REBUILD_TENSOR, NULL, 0},
               {"torch._utils", "_rebuild_parameter", REBUILD_PARAMETER, NULL, 0},
               {"torch", "FloatStorage", A_STORAGE, "F32", 4},
               {"torch", "HalfStorage", A_STORAGE, "F16", 2},
               {"torch", "BFloat16Storage", A_STORAGE, "BF16", 2},
               {"torch", "DoubleStorage", A_STORAGE, "F64", 8},
               {"torch", "LongStorage", A_STORAGE, "I64", 8},
               {"torch", "IntStorage", A_STORAGE, "I32", 4},
               {"torch", "ShortStorage", A_STORAGE, "I16", 2},
               {"torch", "CharStorage", A_STORAGE, "I8", 1},
               {"torch", "ByteStorage", A_STORAGE, "U8", 1},
               {"torch", "BoolStorage", A_STORAGE, "BOOL", 1}};
enum { N_GLOBAL = sizeof globals / sizeof *globals };

/* INT: n; TEXT: n bytes at `text`; GLOBAL, STORAGE: row n of `globals`, a STORAGE's key at `text`,
 * its length and numbers in `child`'s two places; TUPLE: n children from `first`; DICT: the last of
 * its pairs is `first`; TENSOR: number n of `tensor`. */
typedef struct {
    node_kind kind;
    int64_t n, first;
    const char *text;
    int64_t n_text;
} node;

/* A pair of a dict; `before` of the same dict, −1: the first. */
typedef struct {
    int32_t key, value;
    int64_t before;
} pair;

typedef struct {
    const uint8_t *data;
    int64_t size, at, from; /* the next byte; the opcode that runs */
    const char *where;
    node *node;
    int32_t *stack, *memo, *child;
    pair *pair;
    ig_torch_tensor *tensor;
    int64_t n_node, n_stack, n_memo, n_child, n_pair, n_tensor;
    int64_t have_node, have_stack, have_memo, have_child, have_pair, have_tensor;
    ig_err *err;
} machine;

static ig_code refuse(machine *m, const char *found, const char *expected)
{
    ig_fail(m->err, IG_ERR_INPUT, m->where, 0, "pickle, byte %lld: found %.160s, expected %.120s",
            (long long)m->from, found, expected);
    return ig_hint(m->err, "only tensors are read, nothing is executed; "
                           "safetensors.torch.save_file writes them without a pickle");
}

/* --- values */

static ig_code push(machine *m, int32_t i)
{
    IG_TRY(ig_grow(&m->stack, &m->have_stack, m->n_stack + 1, sizeof *m->stack, "stack", m->err));
    m->stack[m->n_stack++] = i;
    return IG_ERR_OK;
}

static ig_code push_node(machine *m, const node *x)
{
    if (m->n_node == INT32_MAX)
        return refuse(m, "2³¹ objects", "fewer");
    IG_TRY(ig_grow(&m->node, &m->have_node, m->n_node + 1, sizeof *m->node, "objects", m->err));
    m->node[m->n_node] = *x;
    return push(m, (int32_t)m->n_node++);
}

/* The value that is k below the top; NULL: there is none. */
static node *top(const machine *m, int64_t k)
{
    return k < m->n_stack ? &m->node[m->stack[m->n_stack - 1 - k]] : NULL;
}

static ig_code need(machine *m, int64_t k, node_kind kind)
{
    const node *x = top(m, k);
    return x != NULL && x->kind == kind
               ? IG_ERR_OK
               : refuse(m, x != NULL ? kind_names[x->kind] : "an empty stack", kind_names[kind]);
}

static ig_code pop(machine *m, int64_t n)
{
    if (n > m->n_stack)
        return refuse(m, "an empty stack", "a value");
    m->n_stack -= n;
    return IG_ERR_OK;
}

/* Finds how many values are above the last mark. */
static ig_code above_mark(machine *m, int64_t *n)
{
    for (*n = 0; *n < m->n_stack; ++*n)
        if (top(m, *n)->kind == MARK)
            return IG_ERR_OK;
    return refuse(m, "no mark", "one below the values of a tuple or dict");
}

/* The n values on top become a tuple; with a mark below them. */
static ig_code make_tuple(machine *m, int64_t n, bool mark)
{
    const node t = {.kind = TUPLE, .n = n, .first = m->n_child};
    if (n > m->n_stack)
        return refuse(m, "an empty stack", "the values of a tuple");
    IG_TRY(ig_grow(&m->child, &m->have_child, m->n_child + n, sizeof *m->child, "tuples", m->err));
    for (int64_t i = 0; i < n; i++)
        m->child[m->n_child++] = m->stack[m->n_stack - n + i];
    IG_TRY(pop(m, n + mark));
    return push_node(m, &t);
}

/* The n values on top, keys and values by turns, go to the dict below them; with a mark between. */
static ig_code set_items(machine *m, int64_t n, bool mark)
{
    if (n % 2 != 0)
        return refuse(m, "a key without a value", "pairs");
    IG_TRY(need(m, n + mark, DICT));
    node *dict = top(m, n + mark);
    for (int64_t i = n; i > 0; i -= 2) {
        IG_TRY(ig_grow(&m->pair, &m->have_pair, m->n_pair + 1, sizeof *m->pair, "pairs", m->err));
        m->pair[m->n_pair] =
            (pair){m->stack[m->n_stack - i], m->stack[m->n_stack - i + 1], dict->first};
        dict->first = m->n_pair++;
    }
    return pop(m, n + mark);
}

static const node *child(const machine *m, const node *tuple, int64_t i)
{
    return &m->node[m->child[tuple->first + i]];
}

/* --- tensors */

static bool read_numbers(int64_t *out, const machine *m, const node *tuple)
{
    if (tuple->kind != TUPLE || tuple->n > IG_TORCH_MAX_DIM)
        return false;
    for (int64_t i = 0; i < tuple->n; i++) {
        const node *x = child(m, tuple, i);
        if (x->kind != INT || x->n < 0)
            return false;
        out[i] = x->n;
    }
    return true;
}

/* Returns whether the tensor's numbers are within its storage and no more than it has: a stride of
 * 0 would make a small file a large tensor. */
static bool fits(ig_torch_tensor *t)
{
    int64_t last = t->offset, reach;
    t->count = 1;
    for (int i = 0; i < t->n_dim; i++)
        if (__builtin_mul_overflow(t->count, t->shape[i], &t->count))
            return false;
    if (t->count == 0)
        return true;
    for (int i = 0; i < t->n_dim; i++)
        if (__builtin_mul_overflow(t->shape[i] - 1, t->stride[i], &reach) ||
            __builtin_add_overflow(last, reach, &last))
            return false;
    return last < t->n_storage && t->count <= t->n_storage;
}

/* (storage, offset, shape, stride, requires_grad, hooks[, metadata]) */
static ig_code rebuild_tensor(machine *m, const node *arg)
{
    ig_torch_tensor t = {0};
    const node *s = arg->n >= 4 ? child(m, arg, 0) : NULL;
    if (s == NULL || s->kind != STORAGE || child(m, arg, 1)->kind != INT ||
        child(m, arg, 1)->n < 0 || !read_numbers(t.shape, m, child(m, arg, 2)) ||
        !read_numbers(t.stride, m, child(m, arg, 3)) || child(m, arg, 2)->n != child(m, arg, 3)->n)
        return refuse(m, "other arguments of _rebuild_tensor_v2",
                      "a storage, an offset, a shape of at most 8 dimensions, strides");
    t.dtype = globals[s->n].dtype;
    t.item = globals[s->n].item;
    t.key = s->text;
    t.n_key = s->n_text;
    t.n_storage = s->first;
    t.offset = child(m, arg, 1)->n;
    t.n_dim = (int)child(m, arg, 2)->n;
    if (!fits(&t))
        return refuse(m, "a tensor that reaches beyond its storage", "one within it");
    IG_TRY(ig_grow(&m->tensor, &m->have_tensor, m->n_tensor + 1, sizeof t, "tensors", m->err));
    m->tensor[m->n_tensor] = t;
    IG_TRY(pop(m, 2));
    return push_node(m, &(node){.kind = TENSOR, .n = m->n_tensor++});
}

/* ("storage", type, key, device, numbers) */
static ig_code persistent(machine *m)
{
    IG_TRY(need(m, 0, TUPLE));
    const node *t = top(m, 0);
    const bool five = t->n == 5;
    const node *word = five ? child(m, t, 0) : NULL, *type = five ? child(m, t, 1) : NULL,
               *key = five ? child(m, t, 2) : NULL, *n = five ? child(m, t, 4) : NULL;
    if (!five || word->kind != TEXT || word->n_text != 7 || memcmp(word->text, "storage", 7) != 0 ||
        type->kind != GLOBAL || globals[type->n].kind != A_STORAGE || key->kind != TEXT ||
        n->kind != INT || n->n < 0)
        return refuse(m, "another persistent object", "a storage of numbers");
    const node s = {
        .kind = STORAGE, .n = type->n, .first = n->n, .text = key->text, .n_text = key->n_text};
    IG_TRY(pop(m, 1));
    return push_node(m, &s);
}

static ig_code reduce(machine *m)
{
    IG_TRY(need(m, 0, TUPLE));
    IG_TRY(need(m, 1, GLOBAL));
    const node *arg = top(m, 0);
    switch (globals[top(m, 1)->n].kind) {
    case ORDERED_DICT:
        if (arg->n != 0)
            return refuse(m, "arguments of OrderedDict", "none");
        IG_TRY(pop(m, 2));
        return push_node(m, &(node){.kind = DICT, .first = -1});
    case REBUILD_TENSOR:
        return rebuild_tensor(m, arg);
    case REBUILD_PARAMETER:
        if (arg->n < 1 || child(m, arg, 0)->kind != TENSOR)
            return refuse(m, "other arguments of _rebuild_parameter", "a tensor");
        const int32_t tensor = m->child[arg->first];
        IG_TRY(pop(m, 2));
        return push(m, tensor);
    case A_STORAGE:
        break;
    }
    return refuse(m, "a call of a storage", "a tensor of it");
}

static ig_code push_global(machine *m, const char *module, int64_t n_module, const char *name,
                           int64_t n_name)
{
    char found[160];
    for (int i = 0; i < N_GLOBAL; i++)
        if (n_module == (int64_t)strlen(globals[i].module) &&
            n_name == (int64_t)strlen(globals[i].name) &&
            memcmp(module, globals[i].module, (size_t)n_module) == 0 &&
            memcmp(name, globals[i].name, (size_t)n_name) == 0)
            return push_node(m, &(node){.kind = GLOBAL, .n = i});
    snprintf(found, sizeof found, "the object %.*s.%.*s", (int)(n_module < 60 ? n_module : 60),
             module, (int)(n_name < 60 ? n_name : 60), name);
    return refuse(m, found, "tensors, parameters and an OrderedDict of them");
}

/* --- the program */

static ig_code take(machine *m, const uint8_t **p, uint64_t n)
{
    if (n > (uint64_t)(m->size - m->at))
        return refuse(m, "the end", "the argument of an opcode (cut off)");
    *p = m->data + m->at;
    m->at += (int64_t)n;
    return IG_ERR_OK;
}

/* An argument of n bytes, little-endian. */
static ig_code take_number(machine *m, uint64_t *out, int n)
{
    const uint8_t *p = NULL;
    *out = 0;
    IG_TRY(take(m, &p, (uint64_t)n));
    for (int i = n - 1; i >= 0; i--)
        *out = *out << 8 | p[i];
    return IG_ERR_OK;
}

static ig_code push_number(machine *m, int n, bool is_signed)
{
    uint64_t x;
    IG_TRY(take_number(m, &x, n));
    if (is_signed && n < 8 && (x >> (8 * n - 1) & 1) != 0)
        x |= ~(uint64_t)0 << 8 * n;
    return push_node(m, &(node){.kind = INT, .n = (int64_t)x});
}

/* A number of as many bytes as the first says. */
static ig_code push_long(machine *m)
{
    uint64_t n;
    IG_TRY(take_number(m, &n, 1));
    if (n == 0)
        return push_node(m, &(node){.kind = INT});
    return n <= 8 ? push_number(m, (int)n, true)
                  : refuse(m, "an integer of more than 64 bits", "a smaller one");
}

static ig_code push_text(machine *m, int n)
{
    uint64_t size;
    const uint8_t *p = NULL;
    IG_TRY(take_number(m, &size, n));
    IG_TRY(take(m, &p, size));
    return push_node(m, &(node){.kind = TEXT, .text = (const char *)p, .n_text = (int64_t)size});
}

static ig_code line(machine *m, const char **text, int64_t *n)
{
    const uint8_t *p = m->data + m->at, *end = memchr(p, '\n', (size_t)(m->size - m->at));
    if (end == NULL)
        return refuse(m, "the end", "the name of an object");
    *text = (const char *)p;
    *n = end - p;
    m->at += *n + 1;
    return IG_ERR_OK;
}

static ig_code named_global(machine *m)
{
    const char *module = NULL, *name = NULL;
    int64_t n_module = 0, n_name = 0;
    IG_TRY(line(m, &module, &n_module));
    IG_TRY(line(m, &name, &n_name));
    return push_global(m, module, n_module, name, n_name);
}

static ig_code stack_global(machine *m)
{
    IG_TRY(need(m, 0, TEXT));
    IG_TRY(need(m, 1, TEXT));
    const node name = *top(m, 0), module = *top(m, 1);
    IG_TRY(pop(m, 2));
    return push_global(m, module.text, module.n_text, name.text, name.n_text);
}

/* Remembers the value on top under a number of n bytes (0: the next). Numbers are given in order,
 * so a higher one is damage. */
static ig_code put_memo(machine *m, int n)
{
    uint64_t at = (uint64_t)m->n_memo;
    if (n > 0)
        IG_TRY(take_number(m, &at, n));
    if (at > (uint64_t)m->n_memo || m->n_stack == 0)
        return refuse(m, "another number of a memo", "the next one");
    IG_TRY(ig_grow(&m->memo, &m->have_memo, m->n_memo + 1, sizeof *m->memo, "memo", m->err));
    m->memo[at] = m->stack[m->n_stack - 1];
    m->n_memo += (int64_t)at == m->n_memo;
    return IG_ERR_OK;
}

static ig_code get_memo(machine *m, int n)
{
    uint64_t at;
    IG_TRY(take_number(m, &at, n));
    return at < (uint64_t)m->n_memo ? push(m, m->memo[at])
                                    : refuse(m, "an unknown number of a memo", "a known one");
}

static ig_code protocol(machine *m)
{
    uint64_t version;
    IG_TRY(take_number(m, &version, 1));
    return version <= 5 ? IG_ERR_OK : refuse(m, "a protocol above 5", "one up to 5");
}

static ig_code skip(machine *m, uint64_t n)
{
    const uint8_t *p;
    return take(m, &p, n);
}

/* Values above the mark, of a list, are of no use here. */
static ig_code append(machine *m, int64_t n, bool mark)
{
    IG_TRY(need(m, n + mark, LIST));
    return pop(m, n + mark);
}

/* The state of a dict (its _metadata) is not needed. */
static ig_code build(machine *m)
{
    IG_TRY(need(m, 1, DICT));
    return pop(m, 1);
}

static ig_code of_mark(machine *m, ig_code (*make)(machine *m, int64_t n, bool mark))
{
    int64_t n;
    IG_TRY(above_mark(m, &n));
    return make(m, n, true);
}

static ig_code run(machine *m, uint8_t op)
{
    char found[40];
    switch (op) {
    case 0x80:
        return protocol(m);
    case 0x95: /* FRAME */
        return skip(m, 8);
    case '(':
        return push_node(m, &(node){.kind = MARK});
    case ')':
        return make_tuple(m, 0, false);
    case 't':
        return of_mark(m, make_tuple);
    case 0x85:
    case 0x86:
    case 0x87:
        return make_tuple(m, op - 0x84, false);
    case '}':
        return push_node(m, &(node){.kind = DICT, .first = -1});
    case ']':
        return push_node(m, &(node){.kind = LIST});
    case 's':
        return set_items(m, 2, false);
    case 'u':
        return of_mark(m, set_items);
    case 'a':
        return append(m, 1, false);
    case 'e':
        return of_mark(m, append);
    case 'X':
        return push_text(m, 4);
    case 0x8c:
        return push_text(m, 1);
    case 'K':
        return push_number(m, 1, false);
    case 'M':
        return push_number(m, 2, false);
    case 'J':
        return push_number(m, 4, true);
    case 0x8a:
        return push_long(m);
    case 'G': /* a float; of no use here */
        IG_TRY(skip(m, 8));
        return push_node(m, &(node){.kind = NONE});
    case 'N':
        return push_node(m, &(node){.kind = NONE});
    case 0x88:
    case 0x89:
        return push_node(m, &(node){.kind = BOOL});
    case 'q':
        return put_memo(m, 1);
    case 'r':
        return put_memo(m, 4);
    case 0x94:
        return put_memo(m, 0);
    case 'h':
        return get_memo(m, 1);
    case 'j':
        return get_memo(m, 4);
    case 'c':
        return named_global(m);
    case 0x93:
        return stack_global(m);
    case 'Q':
        return persistent(m);
    case 'R':
        return reduce(m);
    case 'b':
        return build(m);
    default:
        snprintf(found, sizeof found, "opcode 0x%02x", op);
        return refuse(m, found, "those of a state dict");
    }
}

static int by_name(const void *a, const void *b)
{
    const ig_torch_tensor *x = a, *y = b;
    const int64_t n = x->n_name < y->n_name ? x->n_name : y->n_name;
    const int order = n > 0 ? memcmp(x->name, y->name, (size_t)n) : 0;
    return order != 0 ? order : (x->n_name > y->n_name) - (x->n_name < y->n_name);
}

/* The dict that is left on the stack: names and tensors. */
static ig_code finish(ig_torch_tensors *out, machine *m)
{
    char found[160];
    int64_t n = 0;
    if (m->n_stack != 1)
        return refuse(m, "several objects", "one dict of tensors");
    IG_TRY(need(m, 0, DICT));
    for (int64_t i = top(m, 0)->first; i >= 0; i = m->pair[i].before)
        n++;
    IG_TRY(ig_alloc(&out->tensor, n, sizeof *out->tensor, "tensors", m->err));
    for (int64_t i = top(m, 0)->first; i >= 0; i = m->pair[i].before) {
        const node *key = &m->node[m->pair[i].key], *value = &m->node[m->pair[i].value];
        if (key->kind != TEXT || key->n_text > 255 ||
            (key->n_text > 0 && memchr(key->text, '\0', (size_t)key->n_text) != NULL))
            return refuse(m, "a key that is no name", "names of tensors");
        if (value->kind != TENSOR) {
            snprintf(found, sizeof found, "%s under '%.*s'", kind_names[value->kind],
                     (int)(key->n_text < 100 ? key->n_text : 100), key->text);
            return refuse(m, found, "a state dict, of tensors alone");
        }
        ig_torch_tensor *t = &out->tensor[out->n++];
        *t = m->tensor[value->n];
        t->name = key->text;
        t->n_name = key->n_text;
    }
    if (n > 0)
        qsort(out->tensor, (size_t)n, sizeof *out->tensor, by_name);
    for (int64_t i = 1; i < n; i++)
        if (by_name(&out->tensor[i - 1], &out->tensor[i]) == 0)
            return refuse(m, "a name twice", "each once");
    return IG_ERR_OK;
}

ig_code ig_torch_pickle_parse(ig_torch_tensors *t, const uint8_t *data, int64_t size,
                              const char *where, ig_err *err)
{
    machine m = {.data = data, .size = size, .where = where, .err = err};
    ig_code code = IG_ERR_OK;
    *t = (ig_torch_tensors){0};
    for (bool done = false; code == IG_ERR_OK && !done;) {
        m.from = m.at;
        if (m.at == size)
            code = refuse(&m, "the end", "a stop (cut off)");
        else if (data[m.at++] == '.')
            done = true;
        else
            code = run(&m, data[m.at - 1]);
    }
    IG_THEN(code, finish(t, &m));
    IG_FREE(m.node, m.stack, m.memo, m.child, m.pair, m.tensor);
    return code;
}

void ig_torch_tensors_free(ig_torch_tensors *t)
{
    ig_free(t->tensor);
    *t = (ig_torch_tensors){0};
}
