// SPDX-License-Identifier: GPL-2.0
/*
 * dsfs VERB.  Programs that make, check and mount images have names of their own, as mkfs(8),
 * fsck(8) and mount(8) need.  A verb that needs much more than an image, as archives, is a
 * program behind this one.
 */
#include <unistd.h>

#include "args.h"
#include "msg.h"
#include "nearest.h"
#include "status.h"
#include "verb.h"

static const struct arg option_table[] = { { } };

static const struct args command_line = {
	.usage =
	"Usage: dsfs COMMAND [options] ...\n"
	"Work with DSFS images and with mounted data sets.\n",
	.table = option_table,
};

static void print_help(void)
{
	static const char *const titles[VERB_GROUPS] = {
		[VERB_LOOK] = "Look at an image",
		[VERB_TAKE] = "Take out of an image",
		[VERB_CHANGE] = "Change an image",
		[VERB_MOUNTED] = "Work with a mounted data set",
	};
	const struct verb *v;

	args_help(&command_line);
	for (unsigned int group = 0; group < VERB_GROUPS; group++) {
		printf("\n%s:\n", titles[group]);
		for (v = verbs; v->name; v++) {
			if (v->group == group)
				printf("  %-12s %s\n", v->name, v->about);
		}
	}
	puts("\nOf a command: dsfs help COMMAND.");
}

/* What other programs call a command, and what has that name here */
static const char *other_name(const char *name)
{
	static const char *const names[][2] = {
		{ "list", "ls" }, { "delete", "rm" }, { "remove", "rm" }, { "move", "mv" },
		{ "rename", "mv" }, { "unpack", "extract" }, { "create", "mkfs.dsfs" },
		{ "mkfs", "mkfs.dsfs" }, { "pack", "mkfs.dsfs" }, { "check", "fsck.dsfs" },
		{ "fsck", "fsck.dsfs" }, { "dump", "dump.dsfs" }, { "mount", "mount.dsfs" },
		{ }
	};
	size_t i = 0;

	while (names[i][0] && strcmp(names[i][0], name))
		i++;
	return names[i][1];
}

/* Return: the verb, or NULL after a message */
static const struct verb *find_verb(const char *name)
{
	struct nearest near = { .word = name, .len = strlen(name) };
	const struct verb *v;
	char why[96];

	for (v = verbs; v->name; v++) {
		if (!strcmp(v->name, name))
			return v;
		nearest_try(&near, v->name);
	}
	near.name = other_name(name) ?: near.name;
	snprintf(why, sizeof(why), "unknown %s%s", *name == '-' ? "option" : "command",
		 nearest_text(&near, ""));
	args_refused(EXIT_USAGE, name, why);
	return NULL;
}

int verb_program(const char *program, char **argv)
{
	char path[PATH_MAX];
	const ssize_t len = readlink("/proc/self/exe", path, sizeof(path));
	char *base = len > 0 && len < sizeof(path) ? memrchr(path, '/', len) : NULL;
	const int room = base ? path + sizeof(path) - (base + 1) : 0;

	if (base && snprintf(base + 1, room, "%s", program) < room)
		execv(path, argv);
	else
		execvp(program, argv);
	return msg_fail(EXIT_ERROR, program, "cannot be run: %s", msg_why(errno));
}

/* Run a verb; its name in messages and --help has both words. */
static int run_verb(const struct verb *v, int argc, char **argv)
{
	static char name[64];	/* messages are written until the end */

	snprintf(name, sizeof(name), "dsfs %s", v->name);
	argv[0] = name;
	msg_init(name, EXIT_ERROR);
	return v->run ? v->run(argc, argv) : verb_program(v->program, argv);
}

/* "dsfs help", "dsfs help VERB" */
static int run_help(int argc, char **argv)
{
	const struct verb *v;

	if (argc < 3) {
		print_help();
		return EXIT_OK;
	}
	v = find_verb(argv[2]);
	argv[2] = (char *)"--help";
	return v ? run_verb(v, 2, argv + 1) : EXIT_USAGE;
}

int main(int argc, char **argv)
{
	const struct verb *v;

	msg_init("dsfs", EXIT_ERROR);
	if (argc < 2)
		return args_wrong(EXIT_USAGE, "no command given");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return run_help(argc, argv);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		args_version();
		return EXIT_OK;
	}
	v = find_verb(argv[1]);
	return v ? run_verb(v, argc - 1, argv + 1) : EXIT_USAGE;
}
