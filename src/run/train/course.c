/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes logs and checkpoints of a training, and resumes it.
 */
#include "run/train/course.h"

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/settings/json_text.h"
#include "train/rank_model.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- what is trained ------------------------------------------------------------------------- */

ig_code ig_course_make(ig_course *c, ig_team *team, ig_err *err)
{
    const ig_trainer_options *o = &c->options;
    const ig_precision precision = (ig_precision)(o->set.precision % IG_N_PRECISION);
    IG_TRY(ig_engine_new(&c->engine, c->model, team, NULL, precision, err));
    if (o->n_update < 1)
        return ig_fail(err, IG_ERR_USAGE, "accum", 0,
                       "%lld epochs of %lld micro-batches give no update of %lld",
                       (long long)o->set.epochs, (long long)o->source.steps_per_epoch,
                       (long long)o->set.accum);
    IG_TRY(ig_rank_model_call(c->engine, c->model, &o->set, err));
    return ig_trainer_new(&c->trainer, c->model, c->engine, o, team, err);
}

void ig_course_drop(ig_course *c)
{
    ig_trainer_free(c->trainer);
    ig_engine_free(c->engine);
    ig_bert_free(c->model);
    ig_rank_model_drop();
    c->trainer = NULL;
    c->engine = NULL;
    c->model = NULL;
}

void ig_course_close(ig_course *c)
{
    if (c->log != NULL)
        fclose(c->log);
    c->log = NULL;
    ig_course_drop(c);
}

/* --- checkpoints ----------------------------------------------------------------------------- */

static ig_code resume_from(ig_course *c, int64_t step, ig_err *err)
{
    char dir[IG_PATH];
    IG_TRY(ig_run_checkpoint_path(dir, c->out, step, err));
    IG_TRY(c->build(c->arg, dir, err));
    IG_TRY(
        ig_train_state_read(dir, step, &c->state, ig_trainer_optimizer(c->trainer), c->model, err));
    ig_trainer_resume(c->trainer, step);
    return IG_ERR_OK;
}

ig_code ig_course_resume(ig_course *c, int64_t *step, ig_err *err)
{
    IG_OWNED int64_t *steps = NULL;
    int n, i;
    ig_err first = {0};
    *step = -1;
    IG_TRY(ig_run_checkpoints(&steps, &n, c->out, true, err));
    ig_code code = n > 0 ? IG_ERR_INPUT : c->build(c->arg, NULL, err);
    for (i = n - 1; i >= 0 && code != IG_ERR_OK; i--) {
        ig_err why = {0};
        code = resume_from(c, steps[i], &why);
        if (code == IG_ERR_OK)
            break;
        ig_course_drop(c);
        c->state = (ig_train_state){0};
        first = i == n - 1 ? why : first;
        /* Anything else is no fault of the file. */
        if (code != IG_ERR_INPUT && code != IG_ERR_NUMERIC && code != IG_ERR_IO)
            break;
    }
    if (code == IG_ERR_OK && n > 0) {
        *step = steps[i];
        for (int k = i + 1; k < n && code == IG_ERR_OK; k++)
            code = ig_run_checkpoint_put_aside(c->out, steps[k], err);
        if (i < n - 1)
            ig_log(
                IG_LOG_NORMAL,
                "warning: the checkpoint of update %lld is damaged (%s: %s) and was put aside as "
                "checkpoints/damaged-%08lld; going on from update %lld",
                (long long)steps[n - 1], first.where, first.msg, (long long)steps[n - 1],
                (long long)*step);
    } else if (n > 0) {
        code = first.code;
        if (err != NULL)
            *err = first;
    }
    return code;
}

bool ig_course_save_due(const ig_course *c)
{
    const int64_t step = c->state.update;
    const double since = ig_clock() - c->saved_at;
    return (c->save_every > 0 && step % c->save_every == 0) || ig_run_keeps_model(&c->keep, step) ||
           (c->save_seconds > 0 && since > c->save_seconds && since > 50 * c->saving);
}

ig_code ig_course_checkpoint(ig_course *c, ig_err *err)
{
    const double from = ig_clock();
    const int64_t step = c->state.update;
    char tmp[IG_PATH];
    if (fsync(fileno(c->log)) != 0)
        return ig_fail(err, IG_ERR_IO, c->log_path, 0, "cannot write: %s", strerror(errno));
    IG_TRY(ig_run_checkpoint_begin(tmp, c->out, step, err));
    ig_code code = c->write(c->arg, tmp, err);
    IG_THEN(code,
            ig_train_state_write(tmp, &c->state, ig_trainer_optimizer(c->trainer), c->model, err));
    IG_THEN(code, ig_run_checkpoint_commit(tmp, c->out, step, err));
    if (code != IG_ERR_OK)
        (void)ig_dir_remove(tmp, NULL); /* the first error is reported */
    IG_THEN(code, ig_run_checkpoint_prune(c->out, &c->keep, err));
    c->saved_at = ig_clock();
    c->saving = c->saved_at - from;
    return code;
}

/* --- the log --------------------------------------------------------------------------------- */

/* Where the log of the checkpoint ends: of a training at its end, behind the line that the end cut
 * short, whose sums the checkpoint keeps for a longer training. False: it is shorter. */
static bool find_end(int64_t *end, const ig_course *c)
{
    *end = c->state.log_bytes;
    if (fseek(c->log, 0, SEEK_END) != 0 || ftell(c->log) < *end)
        return false;
    if (c->state.update < c->options.n_update || c->state.n_pred == 0)
        return true;
    int x = fseek(c->log, (long)*end, SEEK_SET) == 0 ? 0 : EOF;
    while (x != '\n' && x != EOF) {
        x = getc(c->log);
        ++*end;
    }
    return x == '\n' && fseek(c->log, 0, SEEK_END) == 0;
}

ig_code ig_course_open_log(ig_course *c, ig_err *err)
{
    int64_t end;
    IG_TRY(ig_folder_path(c->log_path, c->out, err, "log.jsonl"));
    c->log = fopen(c->log_path, "a+b");
    if (c->log == NULL)
        return ig_fail(err, IG_ERR_IO, c->log_path, 0, "cannot open: %s", strerror(errno));
    if (!find_end(&end, c))
        return ig_fail(err, IG_ERR_INPUT, c->log_path, 0,
                       "shorter than the %lld bytes that the checkpoint knows of", (long long)end);
    if (ftruncate(fileno(c->log), (off_t)end) != 0)
        return ig_fail(err, IG_ERR_IO, c->log_path, 0, "cannot cut: %s", strerror(errno));
    return IG_ERR_OK;
}

ig_code ig_course_log(ig_course *c, json_t *j, ig_err *err)
{
    char *text = j != NULL ? ig_json_text(j, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(j);
    if (text == NULL)
        return ig_fail(err, IG_ERR_MEMORY, c->log_path, 0, "not enough memory for a line");
    const int n = fprintf(c->log, "%s\n", text);
    free(text);
    if (n < 0 || fflush(c->log) != 0)
        return ig_fail(err, IG_ERR_IO, c->log_path, 0, "cannot write: %s", strerror(errno));
    c->state.log_bytes += n;
    return IG_ERR_OK;
}

/* --- updates --------------------------------------------------------------------------------- */

/* The sums of the line, and the line when it is due. */
static ig_code account(ig_course *c, const ig_trainer_report *u, double seconds, ig_err *err)
{
    ig_train_state *s = &c->state;
    const ig_head_sum *head = &u->head[c->head], *next = &u->head[IG_HEAD_NEXT];
    s->update = u->update;
    s->loss += head->loss;
    s->n_pred += head->n;
    s->n_right += head->n_right;
    s->n_token += u->n_token;
    s->total_token += u->n_token;
    s->total_flop += u->flop;
    s->seconds += seconds;
    s->line_seconds += seconds;
    const bool full = u->update % c->log_every == 0;
    const int64_t log_bytes = s->log_bytes;
    if (!full && u->update != c->options.n_update)
        return IG_ERR_OK;
    /* Without masked tokens there is no mean. */
    double n = (double)s->n_pred;
    s->line_loss = n > 0 ? s->loss / n : 0;
    json_t *j = json_pack("{s:I, s:o, s:o, s:f, s:f, s:f}", "step", (json_int_t)u->update, "loss",
                          n > 0 ? json_real(s->line_loss) : json_null(), "accuracy",
                          n > 0 ? json_real((double)s->n_right / n) : json_null(), "lr", u->lr,
                          "grad_norm", u->norm, "tokens_per_second",
                          (double)s->n_token / (s->line_seconds > 0 ? s->line_seconds : 1));
    if (next->n > 0) {
        const double n_next = (double)next->n;
        json_object_set_new(j, "next_loss", json_real(next->loss / n_next));
        json_object_set_new(j, "next_accuracy", json_real((double)next->n_right / n_next));
    }
    IG_TRY(ig_course_log(c, j, err));
    if (full) {
        s->loss = s->line_seconds = 0;
        s->n_pred = s->n_right = s->n_token = 0;
    } else
        s->log_bytes = log_bytes; /* a longer training goes on with the line that this one ends */
    return IG_ERR_OK;
}

ig_code ig_course_step(ig_course *c, ig_trainer_report *u, ig_err *err)
{
    char note[80];
    const double from = ig_clock();
    IG_TRY(ig_trainer_step(c->trainer, u, err));
    IG_TRY(account(c, u, ig_clock() - from, err));
    const double loss = ig_course_loss(c), seconds = c->state.seconds;
    const int n = isnan(loss) ? 0 : snprintf(note, sizeof note, "loss %.3f  ", loss);
    snprintf(note + n, sizeof note - (size_t)n, "%.0f tokens/s",
             (double)c->state.total_token / (seconds > 0 ? seconds : 1));
    ig_progress(u->update, note);
    return IG_ERR_OK;
}

double ig_course_loss(const ig_course *c)
{
    const ig_train_state *s = &c->state;
    if (s->line_loss > 0)
        return s->line_loss;
    return s->n_pred > 0 ? s->loss / (double)s->n_pred : (double)NAN;
}

const char *ig_course_why_stop(const ig_course *c)
{
    return c->stop != NULL && *c->stop != 0                           ? "on request"
           : c->max_time > 0 && ig_clock() - c->started > c->max_time ? "at its time limit"
                                                                      : NULL;
}

ig_code ig_course_stopped(const ig_course *c, const char *when, ig_err *err)
{
    ig_fail(err, IG_ERR_STOPPED, c->out, 0,
            "stopped %s %safter update %lld of %lld; all of it is saved", ig_course_why_stop(c),
            when, (long long)c->state.update, (long long)c->options.n_update);
    return ig_hint(err, "the same command resumes from there");
}
