// SPDX-License-Identifier: GPL-2.0
/*
 * What the command lines have in common.  Each recipe has its own, with a table: build/.  All
 * errors of options that need neither source nor image are found here and there.
 */
#include <unistd.h>

#include "memory.h"
#include "parse.h"
#include "rows.h"

static void defaults(struct options *o)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	memset(o, 0, sizeof(*o));
	/* at least 4 threads: a source over a network waits more than it computes */
	o->limits.threads = cpus < 4 ? 4 : cpus;
	if (o->limits.threads > MKFS_THREADS_MAX)
		o->limits.threads = MKFS_THREADS_MAX;
	o->limits.memory = memory_for_us() / 2;
}

/* What is allowed has to be what could be refused. */
static int check_allow(const struct options *o)
{
	const struct allowed *allow = &o->allow;
	const char *kind = o->tar_index ? "tar-index" : "tar";

	if (allow->unreadable && (o->ntars || o->tar_index))
		return args_wrong(EXIT_USAGE, "--allow=unreadable and --%s do not go together",
				  kind);
	if ((allow->joined || allow->absolute) && !o->ntars)
		return args_wrong(EXIT_USAGE, "--allow=%s: only with --tar",
				  allow->joined ? "joined" : "absolute");
	return 0;
}

int check_source(const struct options *o)
{
	for (unsigned int i = 0; i < o->ntars; i++) {
		if (strcmp(o->tars[i], "-"))
			continue;
		if (o->tar_index)
			return args_wrong(EXIT_USAGE, "--tar-index: standard input is not a file");
		if (o->wds == WDS_SHARD)
			return args_wrong(EXIT_USAGE,
					  "--wds: standard input has no name for a directory");
	}
	if (o->tar_index && o->wds == WDS_PREFIX)
		return args_wrong(EXIT_USAGE, "--wds=prefix and --tar-index do not go together");
	if (o->tar_bytes && o->ntars)
		return args_wrong(EXIT_USAGE, "--tar-index=SIZE and --tar do not go together");
	return check_allow(o);
}

int take_image_source(struct options *o, int n, char **args)
{
	const bool tar = o->ntars || o->tar_index, alone = o->manifest || tar;

	if (n < (alone ? 1 : 2))
		return args_wrong(EXIT_USAGE, alone ? "IMAGE is needed" :
				  "IMAGE and SOURCE are needed");
	if (n > (tar ? 1 : 2))
		return args_wrong(EXIT_USAGE, "too many arguments");
	o->image = args[0];
	o->source = n > 1 ? args[1] : tar ? "" : ".";
	return 0;
}

int take_share(struct options *o, char **args)
{
	char *at = args[0] && args[1] && access(args[1], F_OK) ? strrchr(args[1], '@') : NULL;
	struct packed_share s;
	int end = 0;

	if (!at || sscanf(at, "@%u/%u%n", &s.n, &s.of, &end) != 2 || at[end] || at == args[1])
		return 0;
	if (!s.n || s.n > s.of)
		return args_refused(EXIT_USAGE, args[1], "not a share, 1 to N of N");
	if (o->message)
		return args_wrong(EXIT_USAGE, "--message: of a share it says which one it is");
	*at = '\0';
	o->share = s;
	return 0;
}

/* The build time is that of -T, or of the environment. */
static int settle_time(struct options *o)
{
	int ret = o->fixed_time ? 1 : parse_source_date_epoch(&o->build_time);

	o->epoch = ret;
	if (ret >= 0)
		return 0;
	return args_wrong(EXIT_USAGE, "SOURCE_DATE_EPOCH: %s: not seconds since 1970",
			  getenv("SOURCE_DATE_EPOCH"));
}

int options_parse(struct options *o, const struct args *args,
		  int (*settle)(struct options *o, int n, char **args), int argc, char **argv)
{
	int ret;

	defaults(o);
	ret = args_parse(args, o, &argc, argv);
	if (ret >= 0)
		return ret;
	return settle(o, argc, argv) ?: settle_time(o) ?: -1;
}

void options_free(struct options *o)
{
	patterns_free(&o->exclude);
	patterns_free(&o->no_names);
	patterns_free(&o->pack.except);
	free(o->tars);
	added_free(&o->add);
}
