/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * target.h - what libFuzzer calls. */
#ifndef XRO_FUZZ_TARGET_H
#define XRO_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#endif
