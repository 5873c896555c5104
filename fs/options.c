// SPDX-License-Identifier: GPL-2.0
/* Mount options: parsing, and their form in /proc/mounts, which mount(8) accepts. */
#include "internal.h"

#include <linux/ctype.h>
#include <linux/seq_file.h>

enum {
	OPT_CACHE,
	OPT_GENERATION,
	OPT_META,
	OPT_VERIFY,
	OPT_WHOLEFILE,
};

static const struct constant_table dsfs_param_cache[] = {
	{ "lru",	DSFS_CACHE_LRU },
#ifdef CONFIG_DSFS_CACHE
	{ "epoch",	DSFS_CACHE_EPOCH },
#endif
	{}
};

static const struct constant_table dsfs_param_verify[] = {
	{ "off",	0 },
	{ "on",		1 },
	{}
};

const struct fs_parameter_spec dsfs_parameters[] = {
	fsparam_enum("cache",		OPT_CACHE, dsfs_param_cache),
	fsparam_u64("generation",	OPT_GENERATION),
	fsparam_string("meta",		OPT_META),
	fsparam_enum("verify",		OPT_VERIFY, dsfs_param_verify),
	fsparam_string("wholefile",	OPT_WHOLEFILE),
	{}
};

/*
 * A number with an optional K, M or G. Ten digits at most, so that it cannot
 * overflow. @val is left alone on failure: who configures a mount step by step
 * (fsconfig(2)) may go on after that.
 */
static int dsfs_parse_size(struct fs_context *fc, const char *name, const char *s, u64 limit,
			   u64 *val)
{
	const size_t digits = strspn(s, "0123456789");
	u64 size;

	if (!digits || digits > 10 || strspn(s + digits, "kKmMgG") > 1 ||
	    s[digits + strspn(s + digits, "kKmMgG")])
		return invalfc(fc, "%s: '%s' is not a size", name, s);
	/* memparse() takes a leading zero for octal. */
	while (s[0] == '0' && isdigit(s[1]))
		s++;
	size = memparse(s, NULL);
	if (size > limit)
		return invalfc(fc, "%s: %llu is above the limit of %llu", name, size, limit);
	*val = size;
	return 0;
}

static int dsfs_parse_meta(struct fs_context *fc, const char *s, u64 *val)
{
	if (!strcmp(s, "resident"))
		*val = DSFS_META_RESIDENT;
	else if (!strcmp(s, "lazy"))
		*val = DSFS_META_LAZY;
	else if (!dsfs_parse_size(fc, "meta", s, DSFS_META_BUDGET_MAX, val))
		*val = round_down(*val, DSFS_BLOCK_SIZE);
	else
		return -EINVAL;
	return 0;
}

/* dsfs_parse_param - parse one mount option */
int dsfs_parse_param(struct fs_context *fc, struct fs_parameter *param)
{
	struct dsfs_sb_info *sbi = fc->s_fs_info;
	struct fs_parse_result result;
	int opt = fs_parse(fc, dsfs_parameters, param, &result);

	switch (opt) {
	case OPT_CACHE:
		sbi->opt.cache = result.uint_32;
		return 0;
	case OPT_GENERATION:
		if (!result.uint_64)
			return invalfc(fc, "generation: 0 is none, the first is 1");
		sbi->opt.generation = result.uint_64;
		return 0;
	case OPT_META:
		return dsfs_parse_meta(fc, param->string, &sbi->opt.meta);
	case OPT_VERIFY:
		sbi->opt.verify = result.uint_32;
		return 0;
	case OPT_WHOLEFILE:
		return dsfs_parse_size(fc, "wholefile", param->string, DSFS_WHOLEFILE_MAX,
				       &sbi->opt.wholefile);
	}
	return opt;
}

/* dsfs_show_options - print the options of a mount */
int dsfs_show_options(struct seq_file *seq, struct dentry *root)
{
	const struct dsfs_options *opt = &DSFS_SB(root->d_sb)->opt;

	seq_printf(seq, ",cache=%s",
		   READ_ONCE(opt->cache) == DSFS_CACHE_EPOCH ? "epoch" : "lru");
	if (opt->meta == DSFS_META_LAZY || opt->meta == DSFS_META_RESIDENT)
		seq_printf(seq, ",meta=%s", opt->meta == DSFS_META_LAZY ? "lazy" : "resident");
	else
		seq_printf(seq, ",meta=%lluK", opt->meta >> 10);
	seq_printf(seq, ",verify=%s,wholefile=%llu", opt->verify ? "on" : "off",
		   READ_ONCE(opt->wholefile));
	if (opt->generation)
		seq_printf(seq, ",generation=%llu", opt->generation);
	return 0;
}
