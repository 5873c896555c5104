// SPDX-License-Identifier: GPL-2.0
/*
 * A writer of tar archives of its own: libraries have more formats than one and a freedom in
 * each, and the same tree must always give the same bytes.  A header is that of ustar; records
 * of pax carry what it has no room for: long names, large numbers, parts of seconds,
 * attributes, holes.  Names of users are left out, since an image has none.
 */
#include "acl.h"
#include "nsec.h"
#include "pax.h"
#include "ustar.h"
#include "utf8.h"

#define NAME_BYTES	sizeof(((struct ustar *)0)->name)
#define OCTAL7		07777777ULL
#define OCTAL11		077777777777ULL

#define ACL_NAME	"system.posix_acl_"

static void put_octal(char *field, size_t size, u64 v)
{
	char text[32];

	snprintf(text, sizeof(text), "%0*llo", (int)size - 1, v);
	memcpy(field, text, size);
}

static void put_header(FILE *out, const struct pax_member *m, u64 sec)
{
	struct ustar h = { .type = m->type, .magic = "ustar", .version = { '0', '0' } };

	memcpy(h.name, m->path, strnlen(m->path, sizeof(h.name)));
	if (m->link)
		memcpy(h.link, m->link, strnlen(m->link, sizeof(h.link)));
	put_octal(h.mode, sizeof(h.mode), m->mode & 07777);
	put_octal(h.uid, sizeof(h.uid), m->uid > OCTAL7 ? 0 : m->uid);
	put_octal(h.gid, sizeof(h.gid), m->gid > OCTAL7 ? 0 : m->gid);
	put_octal(h.size, sizeof(h.size), m->size > OCTAL11 ? 0 : m->size);
	put_octal(h.mtime, sizeof(h.mtime), sec);
	put_octal(h.major, sizeof(h.major), m->major);
	put_octal(h.minor, sizeof(h.minor), m->minor);
	snprintf(h.sum, sizeof(h.sum), "%06o", ustar_sum(&h));
	h.sum[7] = ' ';
	fwrite(&h, sizeof(h), 1, out);
}

/* Length of a record, which includes its own digits. */
static size_t record_bytes(size_t rest)
{
	char text[32];
	size_t digits = 1, n;

	do {
		n = digits;
		digits = snprintf(text, sizeof(text), "%zu", rest + n);
	} while (digits != n);
	return rest + digits;
}

/* Add a record, whose value may have any bytes. */
static void record(struct pax_records *r, const char *key, const void *value, size_t len)
{
	/* the separators: a blank, "=" and a newline */
	const size_t bytes = record_bytes(strlen(key) + len + 3);
	char *p;

	if (r->len + bytes + 1 > r->room) {
		p = realloc(r->text, (r->len + bytes) * 2 + 1);
		if (!p) {
			r->failed = true;
			return;
		}
		r->text = p;
		r->room = (r->len + bytes) * 2 + 1;
	}
	p = r->text + r->len;
	p += sprintf(p, "%zu %s=", bytes, key);
	memcpy(p, value, len);
	p[len] = '\n';
	r->len += bytes;
}

static void record_text(struct pax_records *r, const char *key, const char *value)
{
	record(r, key, value, strlen(value));
}

static void record_u64(struct pax_records *r, const char *key, u64 v)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", v);
	record_text(r, key, text);
}

/* Seconds as a decimal number; -1.5 is one and a half seconds before 1970. */
static void record_time(struct pax_records *r, s64 ns)
{
	const u64 v = ns < 0 ? -(u64)ns : ns;
	char text[64];
	size_t len = snprintf(text, sizeof(text), "%s%llu", ns < 0 ? "-" : "", v / NSEC_PER_SEC);

	if (v % NSEC_PER_SEC)
		snprintf(text + len, sizeof(text) - len, ".%09llu", v % NSEC_PER_SEC);
	record_text(r, "mtime", text);
}

static int record_acl(struct pax_records *r, const struct node_xattr *x)
{
	const char *kind = x->name + strlen(ACL_NAME);
	char key[64], *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	int ret;

	if (!out) {
		r->failed = true;
		return 0;
	}
	ret = acl_wrong(x->value, x->len) ? -EUCLEAN : 0;
	if (!ret)
		acl_to_text(out, x->value, x->len);
	if (fclose(out))
		r->failed = true;
	snprintf(key, sizeof(key), "SCHILY.acl.%s", kind);
	if (!ret && !r->failed)
		record(r, key, text, len);
	free(text);
	return ret;
}

/* Escape "=" in the name of an attribute like GNU tar, because it would end the key. */
static void xattr_key(char *key, size_t size, const char *name)
{
	size_t len = snprintf(key, size, "SCHILY.xattr.");

	for (; *name && len + 4 < size; name++) {
		if (*name == '=' || *name == '%')
			len += snprintf(key + len, size - len, "%%%02X", *name);
		else
			key[len++] = *name;
	}
	key[len] = '\0';
}

int pax_xattr(struct pax_records *r, const struct node_xattr *x)
{
	char key[1024];

	if (!strncmp(x->name, ACL_NAME, strlen(ACL_NAME)))
		return record_acl(r, x);
	xattr_key(key, sizeof(key), x->name);
	record(r, key, x->value, x->len);
	return 0;
}

static bool is_utf8(const char *s)
{
	size_t left = strlen(s), len;

	for (; left; s += len, left -= len) {
		len = utf8_len((const u8 *)s, left);
		if (!len)
			return false;
	}
	return true;
}

/*
 * Names that the header has no room for.  Records are UTF-8 unless they say so,
 * which GNU tar ignores with a warning, while others fail on names without it.
 */
static void record_names(struct pax_records *r, const struct pax_member *m)
{
	const bool path = m->sparse || strlen(m->path) > NAME_BYTES;
	const bool link = m->link && strlen(m->link) > NAME_BYTES;

	if ((path && !is_utf8(m->path)) || (link && !is_utf8(m->link)))
		record_text(r, "hdrcharset", "BINARY");
	if (path)
		record_text(r, m->sparse ? "GNU.sparse.name" : "path", m->path);
	if (link)
		record_text(r, "linkpath", m->link);
}

static void record_sparse(struct pax_records *r, const struct pax_member *m)
{
	record_text(r, "GNU.sparse.major", "1");
	record_text(r, "GNU.sparse.minor", "0");
	record_u64(r, "GNU.sparse.realsize", m->real_size);
}

static void put_records(FILE *out, const struct pax_records *r)
{
	const struct pax_member m = {
		.path = "PaxHeader", .type = 'x', .mode = 0644, .size = r->len,
	};

	put_header(out, &m, 0);
	fwrite(r->text, 1, r->len, out);
	pax_pad(out, r->len);
}

int pax_header(FILE *out, struct pax_records *r, const struct pax_member *m)
{
	struct pax_member raw = *m;
	u64 sec = 0;

	record_names(r, m);
	if (m->sparse) {
		record_sparse(r, m);
		raw.path = "GNUSparseFile.0";
	}
	if (m->uid > OCTAL7)
		record_u64(r, "uid", m->uid);
	if (m->gid > OCTAL7)
		record_u64(r, "gid", m->gid);
	if (m->size > OCTAL11)
		record_u64(r, "size", m->size);
	if (m->mtime < 0 || m->mtime % NSEC_PER_SEC || m->mtime / NSEC_PER_SEC > OCTAL11)
		record_time(r, m->mtime);
	if (m->mtime >= 0 && m->mtime / NSEC_PER_SEC <= OCTAL11)
		sec = m->mtime / NSEC_PER_SEC;
	if (r->failed)
		return -ENOMEM;
	if (r->len)
		put_records(out, r);
	put_header(out, &raw, sec);
	r->len = 0;
	return 0;
}

static const char zeros[2 * PAX_BLOCK];

void pax_pad(FILE *out, u64 len)
{
	fwrite(zeros, 1, -len % PAX_BLOCK, out);
}

void pax_end(FILE *out)
{
	fwrite(zeros, 1, sizeof(zeros), out);
}

void pax_free(struct pax_records *r)
{
	free(r->text);
	*r = (struct pax_records){ 0 };
}
