/* SPDX-License-Identifier: Apache-2.0
 *
 * A GPU as a device. The module that drives it is loaded on request; a machine without
 * one notices nothing.
 */
#pragma once

#include "model/device/cuda/driver.h"
#include "model/device/device.h"
#include "model/device/device_name.h"

/* Opens card i of the module libisoglot-cuda.so, which lies beside the program, in ../lib/isoglot
 * from there, or where the system looks for libraries; ISOGLOT_CUDA_MODULE names another.
 * IG_ERR_DEVICE: there is no module, no such card, or it was built for another program. The second
 * call gives the same device, whatever its card. */
ig_code ig_cuda_device(const ig_device **out, int card, ig_err *err);
/* Returns the device before it is opened, for its plan and what it lacks. */
const ig_device *ig_cuda_device_unopened(void);
/* The same with a driver that is there already. */
const ig_device *ig_cuda_device_of(const ig_cuda_driver *driver);
