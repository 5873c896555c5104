/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What harnesses share.  A harness calls a function with any bytes and with any arguments that its
 * contract allows: each assume() is a line of that contract, and each assert() something that a
 * caller may rely on.
 *
 * stub_NAME() stands for dsfs_NAME() where a row of the table says so: it asserts what that asks of
 * its caller, and returns whatever that may return, which another row proves.
 */
#ifndef PROOF_H
#define PROOF_H

#include <stdbool.h>
#include <stdlib.h>

#define assume(x)	__CPROVER_assume(x)
#define assert(x)	__CPROVER_assert(x, #x)

/* any(T): a value of which nothing is known */
#define any(type)	({ type any_value; any_value; })

/* bytes_any - @len bytes of which nothing is known, and none behind them */
static inline void *bytes_any(size_t len)
{
	void *p = malloc(len);

	assume(p);
	return p;
}

#endif /* PROOF_H */
