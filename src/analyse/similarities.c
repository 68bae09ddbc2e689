/* SPDX-License-Identifier: Apache-2.0
 *
 * Computes all similarities of two matrices of states, and lists their names.
 */
#include "analyse/similarities.h"

#define KEY(id, key, title, what, below_zero) #key,
const char *const ig_similarity_keys[] = {IG_SIMILARITIES(KEY)};
#define TITLE(id, key, title, what, below_zero) title,
const char *const ig_similarity_titles[] = {IG_SIMILARITIES(TITLE)};

ig_code ig_similarities(double *out, const ig_space *x, const ig_space *y,
                        const ig_similarity_with *with, ig_err *err)
{
    ig_cka cka;
    ig_cca cca;
    ig_neurons neurons;
    IG_TRY(ig_similarity_cka(&cka, x, y, with, err));
    IG_TRY(ig_similarity_rbf(&out[IG_SIMILARITY_RBF], x, y, 1, with, err));
    IG_TRY(ig_similarity_cca(&cca, x, y, with, err));
    IG_TRY(ig_similarity_neurons(&neurons, x, y, with, err));
    out[IG_SIMILARITY_CKA] = cka.biased;
    out[IG_SIMILARITY_DEBIASED] = cka.debiased;
    out[IG_SIMILARITY_SVCCA] = cca.svcca;
    out[IG_SIMILARITY_PWCCA] = cca.pwcca;
    out[IG_SIMILARITY_BEST] = neurons.best;
    out[IG_SIMILARITY_ORDER] = neurons.order;
    return IG_ERR_OK;
}
