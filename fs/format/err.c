// SPDX-License-Identifier: GPL-2.0
/*
 * struct dsfs_err, which all decoders fill in.
 */
#include "format.h"

/**
 * dsfs_err_set - record a broken rule
 * @err: filled in
 * @what: name of the rule or field
 * @value: the value found
 * @limit: the bound or the expected value
 */
void dsfs_err_set(struct dsfs_err *err, const char *what, u64 value, u64 limit)
{
	err->what = what;
	err->value = value;
	err->limit = limit;
}
