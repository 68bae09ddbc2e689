/* SPDX-License-Identifier: Apache-2.0
 *
 * How many runs at once, and how many threads each.
 */
#ifndef IG_LAB_LAB_JOBS_H
#define IG_LAB_LAB_JOBS_H

/* Fills in what is 0 (see ig_lab_options); no more jobs than runs that are missing, and then more
 * threads for each. */
void ig_lab_jobs(int *jobs, int *threads, int n_missing);

#endif
