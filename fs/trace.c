// SPDX-License-Identifier: GPL-2.0
/*
 * The code of the tracepoints, which trace.h makes in the one file that asks for it.
 */
#define CREATE_TRACE_POINTS
#include "trace.h"
