// SPDX-License-Identifier: GPL-2.0
/*
 * NAME [GROUP...] - the unit tests of a program, to be run with the address and the undefined
 * behaviour sanitizers: those groups, or all.
 */
#include "tap.h"

/*
 * What was put back is known as such for the next 250 pieces of metadata.  By default it is for
 * 60,000, which do not fit the processor's caches and take as long again as the tests.
 */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=1";
}

int main(int argc, char **argv)
{
	return tap_main(argc, argv);
}
