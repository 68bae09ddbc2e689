/* SPDX-License-Identifier: Apache-2.0
 *
 * How the files of a run's data are called, a vocabulary, shards, traces and dictionaries for each
 * language. Languages that share a vocabulary or a text share its file.
 */
#pragma once

#include "apply/folder/run_folder.h"
#include "run/run_config.h"

typedef enum {
    IG_DATA_VOCABULARY, /* vocab.txt, vocab-NAME.txt */
    IG_DATA_TRAIN,      /* train.shard, train-LANGUAGE.shard */
    IG_DATA_DEV,
    IG_DATA_TRAIN_TRACE, /* train-LANGUAGE.trace; none of a shared text, as all that follows */
    IG_DATA_DEV_TRACE,
    IG_DATA_DICTIONARY, /* dictionary-LANGUAGE.json: what becomes of the first language's pieces */
    IG_DATA_GOLD,       /* gold-LANGUAGE.json: of a dictionary that is a file */
    IG_DATA_FILES
} ig_data_file;

enum { IG_DATA_NAME = 96 };

/* The name of a language's vocabulary: that of the base vocabulary is "". */
const char *ig_data_vocabulary(const ig_language_words *l);
/* The file's name in the folder; false: a run with these languages has no such file of language
 * k. That it has one does not say that it is there. */
bool ig_data_file_name(char name[IG_DATA_NAME], const ig_run_languages *l, int k,
                       ig_data_file which);
/* Its path; "" where there is none. */
ig_code ig_data_file_path(char path[IG_PATH], const char *dir, const ig_run_languages *l, int k,
                          ig_data_file which, ig_err *err);

/* A folder beside a run's data in `dir`, which lies at `to` for who is in the folder. */
typedef struct {
    const char *dir, *folder, *to;
} ig_data_link;
/* Links in the folder to what was made of the training texts: vocabularies, shards, dictionaries.
 */
ig_code ig_data_files_link(const ig_data_link *l, ig_err *err);
