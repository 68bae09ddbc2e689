/* SPDX-License-Identifier: Apache-2.0
 *
 * From the text options of a command line to those of the reader.
 */
#include "cli/corpus/corpus_options.h"

ig_code ig_text_config_resolve(ig_sentence_options *o, const ig_text_config *c, ig_err *err)
{
    *o = (ig_sentence_options){.kind = (ig_text_kind)c->format,
                               .strip_quotes = c->strip_quotes,
                               .whole_lines = c->whole_lines,
                               .clauses = c->clauses,
                               .abbreviations = c->abbreviations,
                               .locale = c->locale,
                               .take = c->take};
    return ig_verse_set_parse(&o->verses, c->ids, "ids", err);
}
