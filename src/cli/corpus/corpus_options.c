/* SPDX-License-Identifier: Apache-2.0
 *
 * From the text options of a command line to those of the reader.
 */
#include "cli/corpus/corpus_options.h"

ig_sentence_options ig_text_config_resolve(const ig_text_config *c)
{
    return (ig_sentence_options){.kind = (ig_text_kind)c->format,
                                 .ids = c->ids,
                                 .strip_quotes = c->strip_quotes,
                                 .whole_lines = c->whole_lines,
                                 .clauses = c->clauses,
                                 .abbreviations = c->abbreviations,
                                 .locale = c->locale,
                                 .take = c->take};
}
