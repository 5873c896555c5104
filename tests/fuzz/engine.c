// SPDX-License-Identifier: GPL-2.0
/*
 * What all targets share: how a finding is told, and main() of a tool, which is called for each
 * input: what a process does once is replaced.
 */
#include <stdio.h>
#include <stdlib.h>

#include "engine.h"

#define ARGS_MAX	20

/* The linker puts them in the place of what a process calls once. */
void __wrap_msg_init(const char *tool, int lost);
int __wrap_msg_flush_stdout(void);
int __wrap_signals_init(void);

void finding(const char *what)
{
	fprintf(stderr, "FINDING: %s\n", what);
	abort();
}

int tool_main(int (*tool)(int argc, char **argv), const char *const *args)
{
	char *argv[ARGS_MAX + 1];
	int argc;

	for (argc = 0; args[argc] && argc < ARGS_MAX; argc++)
		argv[argc] = (char *)args[argc];
	argv[argc] = NULL;
	return tool(argc, argv);
}

void __wrap_msg_init(const char *tool, int lost)
{
}

/* Standard output stays open. */
int __wrap_msg_flush_stdout(void)
{
	return 0;
}

int __wrap_signals_init(void)
{
	return 0;
}
