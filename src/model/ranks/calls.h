/* SPDX-License-Identifier: Apache-2.0
 *
 * Names what rank 0 calls the other ranks for (base/ranks/ranks.h): of the engine, and of the
 * training.
 */
#pragma once

typedef enum {
    IG_CALL_TRAIN,      /* ig_engine_train */
    IG_CALL_PREDICT,    /* ig_engine_predict */
    IG_CALL_ENCODE,     /* ig_engine_inner */
    IG_CALL_WHOLE,      /* all of the gradient to rank 0 */
    IG_CALL_FROZEN,     /* ig_engine_set_frozen */
    IG_CALL_OF_ENGINE,  /* below: those of the engine */
    IG_CALL_MODEL,      /* a model, its engine and optimizer */
    IG_CALL_DROP,       /* they are freed */
    IG_CALL_NORM,       /* squares of the gradient's own part */
    IG_CALL_UPDATE,     /* own part of the weights, which then go to all */
    IG_CALL_GET_MOMENT, /* to rank 0 */
    IG_CALL_SET_MOMENT  /* from rank 0 */
} ig_rank_call;

/* Tags of transfers within a call; a lane's sum has IG_TAG_LANE + its first lane. */
enum { IG_TAG_PART = 8, IG_TAG_RESULT = 16, IG_TAG_LANE = 128 };
