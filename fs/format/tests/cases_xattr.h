/* SPDX-License-Identifier: GPL-2.0 */
/* Test cases of xattr sets: the rules of xattr.c, one defect each */
#ifndef FORMAT_CASES_XATTR_H
#define FORMAT_CASES_XATTR_H

#include "format_cases.h"

/* Xattr sets: user.a = "val", then an ACL of four bytes */
#define CASE_XATTR_1	sizeof(struct dsfs_xattr_set)
#define CASE_XATTR_2	(CASE_XATTR_1 + sizeof(struct dsfs_xattr) + 4)
#define CASE_XATTR_END	(CASE_XATTR_2 + sizeof(struct dsfs_xattr) + 4)

static inline void dsfs_case_xattrs(u8 *buf)
{
	struct dsfs_xattr *x = (void *)(buf + CASE_XATTR_1);
	struct dsfs_xattr_set *set = (void *)buf;

	memset(buf, 'x', CASE_BUF);
	memset(buf, 0, CASE_XATTR_END);
	set->bytes = cpu_to_le32(CASE_XATTR_END);
	set->count = cpu_to_le16(2);
	x->prefix = DSFS_XATTR_USER;
	x->name_len = 1;
	x->value_len = cpu_to_le32(3);
	memcpy(x + 1, "aval", 4);
	x = (void *)(buf + CASE_XATTR_2);
	x->prefix = DSFS_XATTR_ACL_ACCESS;
	x->value_len = cpu_to_le32(4);
	memcpy(x + 1, "\2\0\0\0", 4);
}

/* @arg: length of the set; 0: its own */
static inline int dsfs_case_run_xattr(const struct dsfs_case *c, void *buf, struct dsfs_geo *geo,
				      struct dsfs_err *err)
{
	const size_t bytes = c->arg ? c->arg : CASE_XATTR_END;
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

#define XS(f, v)	DSFS_P(v, struct dsfs_xattr_set, f)
#define XA_OF(v, at, ...)	{ (at) + offsetof(__VA_ARGS__), sizeof_field(__VA_ARGS__), v }
#define XA(i, f, v)		XA_OF(v, CASE_XATTR_##i, struct dsfs_xattr, f)

static const struct dsfs_case dsfs_xattr_cases[] = {
	{ "good" },
	{ "none", 0, "attributes in an xattr set", { XS(count, 0) } },
	{ "reserved of the set", 0, "attributes in an xattr set", { XS(reserved, 0x100) } },
	{ "no room for a header", 0, "room for an xattr", .arg = CASE_XATTR_END + 4 },
	{ "prefix 0", 0, "prefix of an xattr", { XA(1, prefix, 0) } },
	{ "prefix 6", 0, "prefix of an xattr", { XA(2, prefix, 6) } },
	{ "prefix 255", 0, "prefix of an xattr", { XA(2, prefix, 255) } },
	{ "trusted", 0, NULL, { XA(1, prefix, DSFS_XATTR_TRUSTED) } },
	{ "security", 0, NULL, { XA(1, prefix, DSFS_XATTR_SECURITY) } },
	{ "default ACL", 0, NULL, { XA(2, prefix, DSFS_XATTR_ACL_DEFAULT) } },
	{ "reserved of an attribute", 0, "prefix of an xattr", { XA(1, reserved, 1) } },
	{ "no name", 0, "length of an xattr's name", { XA(1, name_len, 0) } },
	{ "ACL with a name", 0, "length of an xattr's name", { XA(2, name_len, 1) } },
	{ "longest name", 0, NULL,
	  { XA(1, name_len, 250), XA(1, value_len, 6), { 20, 8, ~0ULL }, { 28, 8, ~0ULL } },
	  .arg = CASE_XATTR_1 + sizeof(struct dsfs_xattr) + 256 },
	{ "name longer than 255 with its prefix", 0, "length of an xattr's name",
	  { XA(1, name_len, 251) } },
	{ "name in the next attribute", 0, "end of an xattr", { XA(1, name_len, 30) } },
	{ "value of 65537", 0, "length of an xattr's value", { XA(1, value_len, 65537) } },
	{ "value of 2^32-1", 0, "length of an xattr's value", { XA(1, value_len, 0xffffffff) } },
	{ "value of 65536 in a small set", 0, "end of an xattr", { XA(1, value_len, 65536) } },
	{ "last value past the set", 0, "end of an xattr", { XA(2, value_len, 5) } },
	{ "empty value", 0, NULL, { XA(1, value_len, 0) } },
	{ "empty value at the end", 0, NULL, { XA(2, value_len, 0) }, .arg = CASE_XATTR_END - 4 },
	{ "NUL in a name", 0, "NUL in an xattr's name",
	  { { CASE_XATTR_1 + sizeof(struct dsfs_xattr), 1, 0 } } },
};

#undef XS
#undef XA
#undef XA_OF

#endif /* FORMAT_CASES_XATTR_H */
