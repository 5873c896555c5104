/* SPDX-License-Identifier: GPL-2.0 */
/* Test cases of xattr sets: the rules of xattr.c, one defect each */
#ifndef FORMAT_CASES_XATTR_H
#define FORMAT_CASES_XATTR_H

#include "format_cases.h"

/*
 * Xattr sets: user.a = "val", then an ACL of four bytes.
 */
#define DSFS_CASE_XATTR_1	sizeof(struct dsfs_xattr_set)
#define DSFS_CASE_XATTR_2	(DSFS_CASE_XATTR_1 + sizeof(struct dsfs_xattr) + 4)
#define DSFS_CASE_XATTR_END	(DSFS_CASE_XATTR_2 + sizeof(struct dsfs_xattr) + 4)

static inline void dsfs_case_xattrs(u8 *buf)
{
	struct dsfs_xattr *x = (void *)(buf + DSFS_CASE_XATTR_1);
	struct dsfs_xattr_set *set = (void *)buf;

	memset(buf, 'x', DSFS_CASE_BUF);
	memset(buf, 0, DSFS_CASE_XATTR_END);
	set->bytes = cpu_to_le32(DSFS_CASE_XATTR_END);
	set->count = cpu_to_le16(2);
	x->prefix = DSFS_XATTR_USER;
	x->name_len = 1;
	x->value_len = cpu_to_le32(3);
	memcpy(x + 1, "aval", 4);
	x = (void *)(buf + DSFS_CASE_XATTR_2);
	x->prefix = DSFS_XATTR_ACL_ACCESS;
	x->value_len = cpu_to_le32(4);
	memcpy(x + 1, "\2\0\0\0", 4);
}

/*
 * @arg: length of the set; 0: its own
 */
static inline int dsfs_case_run_xattr(const struct dsfs_case *c, void *buf,
				      struct dsfs_geo *geo,
				      struct dsfs_err *err)
{
	const size_t bytes = c->arg ? c->arg : DSFS_CASE_XATTR_END;
	struct dsfs_xattr_info info;
	u32 count, cursor;
	int ret;

	dsfs_case_xattrs(buf);
	dsfs_case_patch(buf, c);
	ret = dsfs_xattr_first(buf, bytes, &count, &cursor, err);
	if (ret)
		return ret;
	do {
		ret = dsfs_xattr_next(buf, bytes, &cursor, &info, err);
	} while (ret > 0);
	return ret;
}

#define XS(n, f, v)	DSFS_P(n, dsfs_xattr_set, f, v)
#define XA(n, i, f, v)	{ DSFS_CASE_XATTR_##i + offsetof(struct dsfs_xattr, f), n, v }

static const struct dsfs_case dsfs_xattr_cases[] = {
	{ "xattr: good" },
	{ "xattr: none", .patch = { XS(2, count, 0) },
	  .ret = DSFS_BAD, .what = "attributes in an xattr set" },
	{ "xattr: reserved of the set", .patch = { XS(2, reserved, 0x100) },
	  .ret = DSFS_BAD, .what = "attributes in an xattr set" },
	{ "xattr: no room for a header", .arg = DSFS_CASE_XATTR_END + 4,
	  .ret = DSFS_BAD, .what = "room for an xattr" },
	{ "xattr: prefix 0", .patch = { XA(1, 1, prefix, 0) },
	  .ret = DSFS_BAD, .what = "prefix of an xattr" },
	{ "xattr: prefix 6", .patch = { XA(1, 2, prefix, 6) },
	  .ret = DSFS_BAD, .what = "prefix of an xattr" },
	{ "xattr: prefix 255", .patch = { XA(1, 2, prefix, 255) },
	  .ret = DSFS_BAD, .what = "prefix of an xattr" },
	{ "xattr: trusted", .patch = { XA(1, 1, prefix, DSFS_XATTR_TRUSTED) } },
	{ "xattr: security", .patch = { XA(1, 1, prefix, DSFS_XATTR_SECURITY) } },
	{ "xattr: default ACL", .patch = { XA(1, 2, prefix, DSFS_XATTR_ACL_DEFAULT) } },
	{ "xattr: reserved of an attribute", .patch = { XA(2, 1, reserved, 1) },
	  .ret = DSFS_BAD, .what = "prefix of an xattr" },
	{ "xattr: no name", .patch = { XA(1, 1, name_len, 0) },
	  .ret = DSFS_BAD, .what = "length of an xattr's name" },
	{ "xattr: ACL with a name", .patch = { XA(1, 2, name_len, 1) },
	  .ret = DSFS_BAD, .what = "length of an xattr's name" },
	{ "xattr: longest name", .arg = DSFS_CASE_XATTR_1 + sizeof(struct dsfs_xattr) + 256,
	  .patch = { XA(1, 1, name_len, 250), XA(4, 1, value_len, 6), { 20, 8, ~0ULL },
		     { 28, 8, ~0ULL } } },
	{ "xattr: name longer than 255 with its prefix", .patch = { XA(1, 1, name_len, 251) },
	  .ret = DSFS_BAD, .what = "length of an xattr's name" },
	{ "xattr: name in the next attribute", .patch = { XA(1, 1, name_len, 30) },
	  .ret = DSFS_BAD, .what = "end of an xattr" },
	{ "xattr: value of 65537", .patch = { XA(4, 1, value_len, 65537) },
	  .ret = DSFS_BAD, .what = "length of an xattr's value" },
	{ "xattr: value of 2^32-1", .patch = { XA(4, 1, value_len, 0xffffffff) },
	  .ret = DSFS_BAD, .what = "length of an xattr's value" },
	{ "xattr: value of 65536 in a small set", .patch = { XA(4, 1, value_len, 65536) },
	  .ret = DSFS_BAD, .what = "end of an xattr" },
	{ "xattr: last value past the set", .patch = { XA(4, 2, value_len, 5) },
	  .ret = DSFS_BAD, .what = "end of an xattr" },
	{ "xattr: empty value", .patch = { XA(4, 1, value_len, 0) } },
	{ "xattr: empty value at the end", .arg = DSFS_CASE_XATTR_END - 4,
	  .patch = { XA(4, 2, value_len, 0) } },
	{ "xattr: NUL in a name",
	  .patch = { { DSFS_CASE_XATTR_1 + sizeof(struct dsfs_xattr), 1, 0 } },
	  .ret = DSFS_BAD, .what = "NUL in an xattr's name" },
};

#undef XS
#undef XA

#endif /* FORMAT_CASES_XATTR_H */
