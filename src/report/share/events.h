/* SPDX-License-Identifier: Apache-2.0
 *
 * The values of a run as an event file of TensorBoard: records of TFRecord, each with masked
 * CRC-32C of its length and of its data (RFC 3720, B.4), of messages tensorflow.Event (protocol
 * buffers: wall_time 1, step 2, file_version 3, summary 5; Summary.value 1; Value.tag 1,
 * simple_value 2).
 */
#pragma once

#include "store/store.h"

/* CRC-32C of n bytes. */
uint32_t ig_crc32c(const void *data, size_t n);

/* DIR/EXPERIMENT/CELL/seed-N/events.out.tfevents.TIME.isoglot, the settings as hyperparameters
 * (the hparams plugin), then a scalar for each row, in the order of their steps; what was there
 * under the name is replaced. '/' and a '.' at the beginning of a name become '_'. */
ig_code ig_result_events_put(const char *dir, const ig_store_entry *e, const ig_row *row, int64_t n,
                             ig_err *err);
