/* SPDX-License-Identifier: Apache-2.0
 *
 * Instances against brute force. In the text of these tests no two tokens have the same id, so an
 * id tells its sentence and its place in the text.
 */
#include "corpus_fixture.h"

#include "corpus/batch/batcher.h"
#include "corpus/batch/instances.h"

enum { N = 211, BLOCK = 17, MOST = 9, FIRST = 5, ROOM = 64 * 2 * BLOCK };

static ig_shard *shard;
static int32_t vocab;
static int32_t sentence_of[N * MOST + FIRST]; /* by id */
static int32_t length_of[N];

/* Sentence i has 0 to MOST tokens; ids ascend through the whole text. */
static int setup(void **state)
{
    ig_err err = {0};
    ig_shard_writer *w;
    if (fixture_setup(state) != 0)
        return -1;
    ig_rng r = ig_rng_make(3, IG_STREAM_TEST, 0, 0);
    vocab = FIRST;
    for (int i = 0; i < N; i++) {
        length_of[i] = (int32_t)ig_rng_below(&r, MOST + 1);
        for (int32_t j = 0; j < length_of[i]; j++)
            sentence_of[vocab++] = i;
    }
    assert_ok(ig_shard_create(&w, fixture_path("a.shard"), vocab, 7, &err), &err);
    for (int32_t i = 0, at = FIRST; i < N; i++) {
        int32_t id[MOST];
        for (int32_t j = 0; j < length_of[i]; j++)
            id[j] = at++;
        assert_ok(ig_shard_add(w, id, length_of[i], &err), &err);
    }
    assert_ok(ig_shard_commit(w, &err), &err);
    assert_ok(ig_shard_open(&shard, fixture_path("a.shard"), &err), &err);
    return 0;
}

static int teardown(void **state)
{
    ig_shard_close(shard);
    return fixture_teardown(state);
}

static ig_corpus *make_corpus(const char *pipeline)
{
    ig_err err = {0};
    ig_corpus *c;
    ig_corpus_options o = fixture_options(vocab, BLOCK);
    ig_language_spec spec[2] = {{"en", "", shard}, {"fake", pipeline, shard}};
    o.parts = 2;
    assert_ok(ig_corpus_new(&c, spec, 2, &o, &err), &err);
    return c;
}

static ig_batch_options options(ig_instance_kind kind)
{
    return (ig_batch_options){
        .batch = 32, .mask_prob = .3, .mask_share = .8, .random_share = .1, .instances = kind};
}

static ig_batcher *make_batcher(const ig_corpus *c, const ig_batch_options *o)
{
    ig_err err = {0};
    ig_batcher *b;
    assert_ok(ig_batcher_new(&b, c, o, 11, &err), &err);
    return b;
}

static ig_batch get(ig_batcher *b, int64_t step)
{
    ig_err err = {0};
    ig_batch x;
    assert_ok(ig_batcher_get(b, step, &x, &err), &err);
    assert_true(x.n_tok <= ig_batcher_max_tokens(b) && x.n_tok <= ROOM);
    return x;
}

/* The batch with the labels put back. */
static void restore(const ig_batch *x, int32_t *id)
{
    memcpy(id, x->id, (size_t)x->n_tok * sizeof *id);
    for (int32_t p = 0; p < x->target[IG_HEAD_MASKED].n; p++)
        id[x->target[IG_HEAD_MASKED].row[p]] = x->target[IG_HEAD_MASKED].label[p];
}

/* --- stream */

/* [SEP] behind each sentence, of language k, in one array. */
static int32_t *whole_stream(const ig_corpus *c, int k, int64_t *n)
{
    int32_t *s = malloc(sizeof *s * N * (MOST + 1));
    *n = 0;
    for (int64_t i = 0; i < N; i++) {
        int32_t id[BLOCK], len = ig_corpus_sequence(c, k, i, id);
        memcpy(s + *n, id + 1, (size_t)(len - 1) * sizeof *s);
        *n += len - 1;
    }
    return s;
}

static void stream_is_cut_without_gaps(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_corpus *c = make_corpus("shift | invert | positions | specials");
    const ig_batch_options o = options(IG_INSTANCES_STREAM);
    ig_batcher *b = make_batcher(c, &o);
    int64_t number = 0;
    for (int k = 0; k < 2; k++) {
        int64_t n;
        int32_t *s = whole_stream(c, k, &n);
        assert_int_equal(ig_batcher_first(b, k), number);
        for (int64_t at = 0; at < n; at += BLOCK, number++) {
            const int64_t len = n - at < BLOCK ? n - at : BLOCK;
            ig_batch x;
            if (len == 1)
                break;
            assert_ok(ig_batcher_get_range(b, number, number + 1, false, &x, &err), &err);
            assert_int_equal(x.n_tok, len);
            assert_memory_equal(x.id, s + at, (size_t)len * sizeof *s);
            for (int32_t j = 0; j < len; j++) {
                assert_int_equal(x.pos[j], j + (k == 1 ? BLOCK : 0));
                assert_int_equal(x.seg[j], 2 * k);
            }
            assert_int_equal(x.language[0], k);
            assert_null(x.target[IG_HEAD_NEXT].label);
        }
        free(s);
    }
    assert_int_equal(number, ig_batcher_n_sequence(b));
    ig_batcher_free(b);
    ig_corpus_free(c);
}

/* What became of each token in an epoch: 0 not chosen, else 1 + the id in its place. */
static int32_t *fates(const ig_corpus *c, const ig_batch_options *o, int64_t epoch)
{
    ig_batcher *b = make_batcher(c, o);
    int32_t *fate = calloc((size_t)ig_corpus_vocab_size(c), sizeof *fate);
    const int64_t n = ig_batcher_steps_per_epoch(b);
    for (int64_t step = epoch * n; step < (epoch + 1) * n; step++) {
        ig_batch x = get(b, step);
        for (int32_t p = 0; p < x.target[IG_HEAD_MASKED].n; p++)
            fate[x.target[IG_HEAD_MASKED].label[p]] = 1 + x.id[x.target[IG_HEAD_MASKED].row[p]];
    }
    ig_batcher_free(b);
    return fate;
}

static int64_t count_chosen(const int32_t *fate, int32_t n)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < n; i++)
        sum += fate[i] > 0;
    return sum;
}

/* How sentences are put into sequences changes nothing of what is masked, and by what. */
static void lines_and_stream_mask_the_same(void **state)
{
    (void)state;
    ig_corpus *c = make_corpus("shift | invert");
    const int32_t v = ig_corpus_vocab_size(c);
    for (int epoch = 0; epoch < 2; epoch++) {
        ig_batch_options o = options(IG_INSTANCES_LINES);
        o.whole_words = epoch == 1;
        int32_t *lines = fates(c, &o, epoch);
        o.instances = IG_INSTANCES_STREAM;
        int32_t *stream = fates(c, &o, epoch);
        assert_true(count_chosen(lines, v) > 400);
        assert_memory_equal(lines, stream, (size_t)v * sizeof *lines);
        free(lines);
        free(stream);
    }
    ig_corpus_free(c);
}

/* --- pairs */

/* The tokens from..to−1 are a stretch of the text, their language's. */
static void assert_stretch(const int32_t *id, int32_t from, int32_t to)
{
    assert_true(to > from);
    for (int32_t j = from + 1; j < to; j++)
        assert_int_equal(id[j], id[j - 1] + 1);
}

static void pairs(void **state)
{
    (void)state;
    enum { DOCUMENT = 20 };
    ig_corpus *c = make_corpus("shift | positions | specials");
    ig_batch_options o = options(IG_INSTANCES_PAIRS);
    o.document = DOCUMENT;
    o.copies = 3;
    ig_batcher *b = make_batcher(c, &o);
    int64_t n_random = 0, n_pair = 0, n_cut = 0;
    /* A document is DOCUMENT sentences that are not empty. */
    int32_t document[N], n_full = 0;
    for (int i = 0; i < N; i++)
        document[i] = length_of[i] > 0 ? n_full++ / DOCUMENT : -1;
    int64_t *seen = calloc((size_t)ig_corpus_vocab_size(c), sizeof *seen);
    for (int64_t step = 0; step < ig_batcher_steps_per_epoch(b); step++) {
        int32_t id[ROOM];
        ig_batch x = get(b, step);
        restore(&x, id);
        for (int32_t q = 0; q < x.n_seq; q++, n_pair++) {
            const int32_t at = x.seq_start[q], end = x.seq_start[q + 1];
            const int32_t k = x.language[q], cls = k * vocab + 2, sep = k * vocab + 3;
            int32_t mid = at + 1;
            assert_int_equal(id[at], cls);
            while (id[mid] != sep)
                mid++;
            assert_int_equal(id[end - 1], sep);
            assert_true(end - at <= BLOCK && mid < end - 1);
            assert_stretch(id, at + 1, mid);
            assert_stretch(id, mid + 1, end - 1);
            for (int32_t j = at; j < end; j++) {
                assert_int_equal(x.pos[j], j - at + k * BLOCK);
                assert_int_equal(x.seg[j], 2 * k + (j > mid));
                assert_int_equal(id[j] / vocab, k);
                seen[id[j]]++;
            }
            assert_in_range(x.target[IG_HEAD_NEXT].label[q], 0, 1);
            n_random += x.target[IG_HEAD_NEXT].label[q];
            const int32_t a = sentence_of[id[mid - 1] % vocab],
                          next = sentence_of[id[mid + 1] % vocab];
            if (x.target[IG_HEAD_NEXT].label[q] == 1) {
                assert_int_not_equal(document[a], document[next]);
                continue;
            }
            /* What follows, unless tokens were lost where the parts meet. */
            assert_int_equal(document[a], document[next]);
            assert_true(id[mid + 1] > id[mid - 1]);
            if (end - at < BLOCK)
                assert_int_equal(id[mid + 1], id[mid - 1] + 1);
            else
                n_cut += id[mid + 1] > id[mid - 1] + 1;
        }
    }
    assert_true(n_cut > 0);
    /* Half of the pairs are random, and those of a single sentence. */
    assert_in_range(n_random, n_pair * 45 / 100, n_pair * 65 / 100);
    /* All of the text is used, but for what cutting takes. */
    int64_t n_seen = 0;
    for (int32_t i = FIRST; i < vocab; i++)
        n_seen += (seen[i] > 0) + (seen[vocab + i] > 0);
    assert_true(n_seen >= 2 * (vocab - FIRST) * 95 / 100);
    assert_int_equal(n_pair, ig_batcher_n_sequence(b));
    free(seen);
    ig_batcher_free(b);
    ig_corpus_free(c);
}

/* Left to itself, a document is a part of a text however small, and no copy of a language is short
 * as a whole. */
static void documents_go_by_the_text(void **state)
{
    (void)state;
    static const struct {
        int64_t n, asked, size;
    } of[] = {{1, 0, 32},         {3200, 0, 32},       {10000, 0, 100}, {409600, 0, 4096},
              {9000000, 0, 4096}, {10000, 4096, 4096}, {10000, 7, 7}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        assert_int_equal(ig_pairs_document(of[i].n, of[i].asked), of[i].size);
    ig_err err = {0};
    enum { COPIES = 60 };
    for (int one = 0; one < 2; one++) {
        ig_corpus *c = make_corpus("shift");
        ig_batch_options o = options(IG_INSTANCES_PAIRS);
        ig_instances *x;
        o.copies = COPIES;
        o.document = one ? 4096 : 0;
        assert_ok(ig_instances_new(&x, c, &o, 11, &err), &err);
        int64_t n[COPIES] = {0}, least = INT64_MAX, most = 0;
        for (int64_t i = 0; i < ig_instances_count(x, 0); i++)
            n[ig_instances_copy(x, 0, i)]++;
        for (int k = 0; k < COPIES; k++) {
            least = n[k] < least ? n[k] : least;
            most = n[k] > most ? n[k] : most;
        }
        print_message("pairs of a copy: %lld to %lld\n", (long long)least, (long long)most);
        assert_true(one ? most > 2 * least : most < 2 * least);
        ig_instances_free(x);
        ig_corpus_free(c);
    }
}

static void next_of_any_language(void **state)
{
    (void)state;
    ig_corpus *c = make_corpus("shift | positions");
    ig_batch_options o = options(IG_INSTANCES_PAIRS);
    o.document = 20;
    o.next_any = true;
    ig_batcher *b = make_batcher(c, &o);
    int64_t n[2][2] = {{0}};
    for (int64_t step = 0; step < ig_batcher_steps_per_epoch(b); step++) {
        int32_t id[ROOM];
        ig_batch x = get(b, step);
        restore(&x, id);
        for (int32_t q = 0; q < x.n_seq; q++) {
            const int32_t last = x.seq_start[q + 1] - 2, first = x.seq_start[q] + 1;
            const bool other = id[last] / vocab != id[first] / vocab;
            assert_int_equal(id[first] / vocab, x.language[q]);
            assert_int_equal(x.seg[last], 2 * (id[last] / vocab) + 1);
            assert_int_equal(x.pos[last],
                             last - x.seq_start[q] + (id[last] / vocab == 1 ? BLOCK : 0));
            n[x.target[IG_HEAD_NEXT].label[q]][other]++;
        }
    }
    assert_int_equal(n[0][1], 0);
    assert_true(n[1][1] > n[1][0] / 2 && n[1][0] > n[1][1] / 2);
    ig_batcher_free(b);
    ig_corpus_free(c);
}

/* --- masks */

static void words_are_chosen_as_a_whole(void **state)
{
    (void)state;
    ig_corpus *c = make_corpus("shift | invert");
    bool *continues = calloc((size_t)vocab, sizeof *continues);
    for (int32_t i = 0; i < vocab; i++)
        continues[i] = i % 3 != 0;
    ig_corpus_set_words(c, 0, continues);
    ig_corpus_set_words(c, 1, continues);
    ig_batch_options o = options(IG_INSTANCES_STREAM);
    int32_t *plain = fates(c, &o, 0);
    o.whole_words = true;
    int32_t *whole = fates(c, &o, 0);
    int64_t n_more = 0, n_chosen = 0;
    for (int32_t i = FIRST; i < 2 * vocab; i++) {
        const int32_t local = i % vocab;
        if (local < FIRST)
            continue;
        const bool goes_on =
            local > FIRST && continues[local] && sentence_of[local] == sentence_of[local - 1];
        if (goes_on)
            assert_int_equal(whole[i] > 0, whole[i - 1] > 0);
        else
            assert_int_equal(whole[i], plain[i]);
        /* What becomes of a token is its own. */
        if (whole[i] > 0 && plain[i] > 0)
            assert_int_equal(whole[i], plain[i]);
        n_more += goes_on && whole[i] > 0 && plain[i] == 0;
        n_chosen += whole[i] > 0;
    }
    assert_true(n_more > 100);
    assert_in_range(n_chosen, (vocab - FIRST) * 2 * 25 / 100, (vocab - FIRST) * 2 * 35 / 100);
    free(plain);
    free(whole);
    free(continues);
    ig_batcher_free(NULL);
    ig_corpus_free(c);
}

/* Which places of each sentence are chosen, one bit each, by copy or epoch. */
static void collect(ig_batcher *b, int64_t from, int64_t to, uint32_t mask[][2 * N], int *n)
{
    memset(n, 0, sizeof *n * 2 * N);
    for (int64_t step = from; step < to; step++) {
        int32_t id[ROOM];
        ig_batch x = get(b, step);
        restore(&x, id);
        for (int32_t q = 0, p = 0; q < x.n_seq; q++) {
            const int32_t at = x.seq_start[q], end = x.seq_start[q + 1];
            uint32_t bits = 0;
            for (; p < x.target[IG_HEAD_MASKED].n && x.target[IG_HEAD_MASKED].row[p] < end; p++)
                bits |= 1u << (x.target[IG_HEAD_MASKED].row[p] - at);
            if (end - at < 3)
                continue;
            const int s = sentence_of[id[at + 1] % vocab] + (id[at + 1] >= vocab ? N : 0);
            assert_in_range(n[s], 0, 3);
            mask[n[s]++][s] = bits;
        }
    }
}

static bool same_bits(uint32_t a[][2 * N], uint32_t b[][2 * N], int copies, int s)
{
    for (int i = 0; i < copies; i++) {
        int in_a = 0, in_b = 0;
        for (int j = 0; j < copies; j++) {
            in_a += a[j][s] == a[i][s];
            in_b += b[j][s] == a[i][s];
        }
        if (in_a != in_b)
            return false;
    }
    return true;
}

static void copies_and_static_masks(void **state)
{
    (void)state;
    enum { COPIES = 4 };
    static uint32_t first[COPIES][2 * N], second[COPIES][2 * N], dynamic[COPIES][2 * N];
    int n[2 * N];
    ig_corpus *c = make_corpus("shift");
    ig_batch_options o = options(IG_INSTANCES_LINES);
    o.copies = COPIES;
    o.static_masks = true;
    ig_batcher *b = make_batcher(c, &o);
    assert_int_equal(ig_batcher_n_sequence(b), COPIES * 2 * N);
    const int64_t steps = ig_batcher_steps_per_epoch(b);
    collect(b, 0, steps, first, n);
    for (int s = 0; s < 2 * N; s++)
        assert_int_equal(n[s], length_of[s % N] > 0 ? COPIES : 0);
    collect(b, steps, 2 * steps, second, n);
    o.static_masks = false;
    ig_batcher *d = make_batcher(c, &o);
    collect(d, steps, 2 * steps, dynamic, n);
    int n_other = 0, n_copy = 0;
    for (int s = 0; s < 2 * N; s++) {
        if (length_of[s % N] == 0)
            continue;
        assert_true(same_bits(first, second, COPIES, s));
        n_other += !same_bits(first, dynamic, COPIES, s);
        n_copy += first[0][s] != first[1][s];
    }
    assert_true(n_other > N && n_copy > N);
    ig_batcher_free(b);
    ig_batcher_free(d);
    /* One copy has the masks of the first epoch, in the order of dynamic masks. */
    o.copies = 0;
    d = make_batcher(c, &o);
    o.static_masks = true;
    b = make_batcher(c, &o);
    for (int64_t step = 0; step < ig_batcher_steps_per_epoch(b); step++) {
        ig_batch x = get(b, step), y = get(d, step);
        assert_int_equal(x.n_tok, y.n_tok);
        assert_memory_equal(x.id, y.id, (size_t)x.n_tok * sizeof *x.id);
    }
    ig_batcher_free(b);
    ig_batcher_free(d);
    ig_corpus_free(c);
}

/* --- two languages in one sequence */

static void translation_pairs(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_corpus *c = make_corpus("shift | invert | positions | specials");
    ig_batch_options o = options(IG_INSTANCES_LINES);
    o.n_tlm = 2;
    o.tlm[0].a = 0;
    o.tlm[0].b = 1;
    o.tlm[1].a = 1;
    o.tlm[1].b = 0;
    ig_batcher *b = make_batcher(c, &o);
    assert_int_equal(ig_batcher_n_sequence(b), 4 * N);
    assert_int_equal(ig_batcher_first(b, 2), 2 * N);
    for (int64_t i = 0; i < 2 * N; i++) {
        ig_batch x;
        const int first = i < N ? 0 : 1;
        assert_ok(ig_batcher_get_range(b, 2 * N + i, 2 * N + i + 1, false, &x, &err), &err);
        for (int part = 0, at = 0; part < 2; part++) {
            const int k = part == 0 ? first : 1 - first;
            int32_t id[BLOCK], n = ig_corpus_sequence(c, k, i % N, id);
            assert_memory_equal(x.id + at, id, (size_t)n * sizeof *id);
            for (int32_t j = 0; j < n; j++, at++) {
                assert_int_equal(x.pos[at], j + k * BLOCK);
                assert_int_equal(x.seg[at], 2 * k);
            }
            assert_true(part == 0 || at == x.n_tok);
        }
    }
    /* Single-language batches of the rest are as without, and masks of both sides are drawn. */
    int64_t chosen[2] = {0};
    for (int64_t step = 0; step < ig_batcher_steps_per_epoch(b); step++) {
        ig_batch x = get(b, step);
        for (int32_t p = 0; p < x.target[IG_HEAD_MASKED].n; p++) {
            const int k = x.target[IG_HEAD_MASKED].label[p] / vocab;
            const int32_t now = x.id[x.target[IG_HEAD_MASKED].row[p]];
            assert_true(now != (1 - k) * vocab + 4 || k == 0);
            chosen[k]++;
        }
    }
    assert_in_range(chosen[0], chosen[1] * 9 / 10, chosen[1] * 11 / 10);
    assert_in_range(chosen[0], 3 * (vocab - FIRST) * 25 / 100, 3 * (vocab - FIRST) * 35 / 100);
    ig_batcher_free(b);
    ig_corpus_free(c);
    /* Half of a text beside all of it: the sentences that both have, wherever they stand. */
    c = make_corpus("shift | half:second");
    o.n_tlm = 1;
    b = make_batcher(c, &o);
    const int64_t half = ig_corpus_n_sequence(c, 1);
    assert_int_equal(ig_batcher_n_sequence(b), N + 2 * half);
    for (int64_t i = 0; i < half; i++) {
        ig_batch x;
        int32_t first[BLOCK], second[BLOCK];
        const int64_t at = N + half + i;
        const int32_t n = ig_corpus_sequence(c, 0, N - half + i, first),
                      m = ig_corpus_sequence(c, 1, i, second);
        assert_ok(ig_batcher_get_range(b, at, at + 1, false, &x, &err), &err);
        assert_int_equal(x.n_tok, n + m);
        assert_memory_equal(x.id, first, (size_t)n * sizeof *first);
        assert_memory_equal(x.id + n, second, (size_t)m * sizeof *second);
    }
    ig_batcher_free(b);
    ig_corpus_free(c);
    const ig_language_spec apart[2] = {{"en", "half:first", shard},
                                       {"fake", "shift | half:second", shard}};
    const ig_corpus_options co = fixture_options(vocab, BLOCK);
    assert_ok(ig_corpus_new(&c, apart, 2, &co, &err), &err);
    assert_int_equal(ig_batcher_new(&b, c, &o, 1, &err), IG_ERR_USAGE);
    assert_string_equal(err.where, "tlm");
    ig_corpus_free(c);
}

/* --- what tells the language */

static void markers_and_segments(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_corpus *c;
    ig_corpus_options o = fixture_options(vocab, BLOCK);
    ig_language_spec spec[3] = {{"en", "marker", shard},
                                {"a", "marker | shift | specials | segment:7", shard},
                                {"b", "shift | positions | segment:3 | marker", shard}};
    assert_ok(ig_corpus_new(&c, spec, 3, &o, &err), &err);
    assert_int_equal(ig_corpus_vocab_size(c), 3 * vocab + 3);
    static const int32_t segment[] = {0, 7, 3};
    for (int k = 0; k < 3; k++) {
        const ig_language *l = ig_corpus_language(c, k);
        int32_t id[BLOCK], n = ig_corpus_sequence(c, k, 0, id);
        assert_int_equal(l->sep, 3 * vocab + k);
        assert_int_equal(l->cls, k == 1 ? vocab + 2 : 2);
        assert_int_equal(l->segment, segment[k]);
        assert_int_equal(id[n - 1], l->sep);
    }
    /* A marker is no word: it is never predicted, nor put in another's place by `nonspecial`. */
    for (int own = 0; own < 2; own++) {
        ig_batch_options m = options(IG_INSTANCES_STREAM);
        m.mask_share = 0;
        m.random_share = 1;
        m.mask_prob = 1;
        m.random_vocab = own ? IG_RANDOM_OWN : IG_RANDOM_NONSPECIAL;
        ig_batcher *b = make_batcher(c, &m);
        for (int64_t step = 0; step < ig_batcher_steps_per_epoch(b); step++) {
            ig_batch x = get(b, step);
            for (int32_t p = 0; p < x.target[IG_HEAD_MASKED].n; p++) {
                assert_in_range(x.target[IG_HEAD_MASKED].label[p], 1, 3 * vocab - 1);
                assert_in_range(x.id[x.target[IG_HEAD_MASKED].row[p]], 5, 3 * vocab - 1);
            }
        }
        ig_batcher_free(b);
    }
    ig_corpus_free(c);
    static const char *const bad[] = {
        "segment",  "segment:",     "segment:-1", "segment:1x", "segment:1 | segment:2",
        "marker:1", "segment:99999"};
    for (int i = 0; i < 7; i++) {
        spec[0].pipeline = bad[i];
        assert_int_equal(ig_corpus_new(&c, spec, 1, &o, &err), IG_ERR_USAGE);
    }
}

static void bad_options(void **state)
{
    (void)state;
    ig_err err = {0};
    ig_corpus *c = make_corpus("shift");
    ig_batch_options bad[4];
    for (int i = 0; i < 4; i++)
        bad[i] = options(IG_INSTANCES_PAIRS);
    bad[0].copies = -1;
    bad[1].document = -1;
    bad[2].n_tlm = 1;
    bad[2].tlm[0].b = 0;
    bad[3].next_any = true;
    bad[3].shift_special = IG_VARIANT_PAPER_CODE;
    for (int i = 0; i < 4; i++) {
        ig_batcher *b;
        assert_int_equal(ig_batcher_new(&b, c, &bad[i], 0, &err), IG_ERR_USAGE);
        assert_null(b);
    }
    ig_corpus_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_is_cut_without_gaps),
        cmocka_unit_test(lines_and_stream_mask_the_same),
        cmocka_unit_test(pairs),
        cmocka_unit_test(documents_go_by_the_text),
        cmocka_unit_test(next_of_any_language),
        cmocka_unit_test(words_are_chosen_as_a_whole),
        cmocka_unit_test(copies_and_static_masks),
        cmocka_unit_test(translation_pairs),
        cmocka_unit_test(markers_and_segments),
        cmocka_unit_test(bad_options),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
