// SPDX-License-Identifier: GPL-2.0
/*
 * elapsed CMD [ARG...] - run a command with its output in /dev/null, and print
 * how many nanoseconds it took.
 *
 * Why: the shell of a guest has no clock finer than 10 ms.  With one
 * nanosecond an instruction (tests/vm/run --icount) what is printed is the
 * number of instructions, waiting included.
 *
 * Exit: CMD's status, 127 if it does not start.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../guest/bench.h"

int main(int argc, char **argv)
{
	int status, null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	uint64_t start;
	pid_t pid;

	if (argc < 2 || null < 0)
		return 2;
	start = bench_now();
	pid = vfork();
	if (!pid) {
		dup2(null, 1);
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 127;
	start = bench_now() - start;
	printf("%llu\n", (unsigned long long)start);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
