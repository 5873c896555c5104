// SPDX-License-Identifier: GPL-2.0
/*
 * An image as an artifact in an OCI image layout, a folder that programs for registries
 * push.  The image is a blob of it as it is, so that a registry can be read by ranges.  One that
 * lies in pieces is a blob a piece, so that a registry is sent those that it does not have, and
 * the blob of its list.  All of it follows from the image, or its list: the same makes the same
 * manifest, wherever it is made.
 *
 * index.json, which makes the folder a layout, is written last, and a run that fails removes
 * what it made.
 */
#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
#include <uuid/uuid.h>

#include "export.h"
#include "io.h"
#include "msg.h"
#include "newfile.h"
#include "note.h"
#include "pieces.h"
#include "sha256.h"

/* Types of the artifact; readers know it by that of its layer (userspace/http/registry.h). */
#define TYPE	"application/vnd.dsfs.image.v1"
#define CONFIG	"application/vnd.dsfs.image.config.v1+json"
#define LAYER	"application/vnd.dsfs.image.layer.v1"
#define LIST	"application/vnd.dsfs.image.list.v1+json"
#define PART	"application/vnd.dsfs.image.piece.v1"
#define MANIFEST	"application/vnd.oci.image.manifest.v1+json"
#define INDEX	"application/vnd.oci.image.index.v1+json"

#define MANIFEST_MAX	(4 << 20)	/* OCI distribution: what every registry has to take */
#define PIECE	(4 << 20)
#define BLOBS	"blobs/sha256"

/**
 * struct blob - a blob that was written
 * @digest: "sha256:HEX"
 */
struct blob {
	char digest[DIGEST_TEXT];
	u64 bytes;
};

/**
 * struct oci_layout - a layout that is made
 * @path: of its folder; @dir, open, and @blobs, that of blobs; -1: not yet
 * @note: of the generation
 * @list: of an image in pieces, whose text is @text, of @len bytes; @pieces: how many are blobs
 * @layer: and @config, @manifest: its blobs; no digest: not written yet
 */
struct oci_layout {
	struct view *v;
	const char *path;
	int dir;
	int blobs;
	struct newfile file;
	struct sha256 hash;
	struct note_text note;
	const struct pieces *list;
	const char *text;
	size_t len;
	size_t pieces;
	struct blob layer;
	struct blob config;
	struct blob manifest;
};

static int failed(const struct oci_layout *l, const char *what)
{
	return msg_error(l->path, "%s: %s", what, msg_why(errno));
}

static int make_folders(struct oci_layout *l)
{
	if (mkdir(l->path, 0777))
		return failed(l, "create");
	l->dir = open(l->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (l->dir < 0) {
		failed(l, "open");
		rmdir(l->path);
		return -1;
	}
	if (mkdirat(l->dir, "blobs", 0777) || mkdirat(l->dir, BLOBS, 0777))
		return failed(l, "create");
	l->blobs = openat(l->dir, BLOBS, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return l->blobs < 0 ? failed(l, BLOBS) : 0;
}

static int put(struct oci_layout *l, const void *data, size_t len, u64 pos)
{
	sha256_put(&l->hash, data, len);
	return io_pwrite(l->file.fd, data, len, pos) == len ? 0 : failed(l, "write");
}

static int put_image(struct oci_layout *l, u64 start, u64 bytes)
{
	void *buf = malloc(PIECE);
	const struct image *img = &l->v->img;
	int ret = buf ? 0 : no_memory();
	size_t len;

	for (u64 pos = 0; !ret && pos < bytes; pos += len) {
		len = bytes - pos < PIECE ? bytes - pos : PIECE;
		ret = image_pread(img, buf, len, start + pos);
		ret = ret ? msg_error(img->path, "bytes from %llu on: %s", start + pos,
				      msg_why(-ret)) :
			    put(l, buf, len, pos);
	}
	free(buf);
	return ret;
}

/*
 * Write a file of @bytes, @text or those of the image from @start on.  It gets @name, or is @b, a
 * blob, which has its name by its digest.
 */
static int write_file(struct oci_layout *l, const char *name, struct blob *b, const char *text,
		      u64 start, u64 bytes)
{
	char digest[DIGEST_TEXT];
	u8 sum[SHA256_BYTES];
	const char *what;
	int ret;

	if (newfile_open_masked(&l->file, name ? l->dir : l->blobs))
		return failed(l, "create");
	ret = text ? put(l, text, bytes, 0) : put_image(l, start, bytes);
	if (ret) {
		newfile_drop(&l->file);
		return ret;
	}
	sha256_end(&l->hash, sum);
	digest_text(DSFS_DIGEST_NONE, sum, digest);
	what = newfile_publish(&l->file, name ? name : digest + 7);
	if (what)
		return failed(l, what);
	if (!name) {
		memcpy(b->digest, digest, sizeof(digest));
		b->bytes = bytes;
	}
	return 0;
}

/* A piece that comes twice is one blob. */
static int write_piece(struct oci_layout *l, const struct piece *p)
{
	struct blob b;
	char want[DIGEST_TEXT];
	int ret;

	digest_text(DSFS_DIGEST_NONE, p->sum, want);
	if (!faccessat(l->blobs, want + 7, F_OK, 0))
		return 0;
	ret = write_file(l, NULL, &b, NULL, p->start, p->bytes);
	if (ret || !strcmp(b.digest, want))
		return ret;
	unlinkat(l->blobs, b.digest + 7, 0);
	return msg_error(l->v->img.path, "piece %s: its digest is %s, the list says %s", p->name,
			 b.digest, want);
}

/* The blob of the image: the list, behind all pieces, if there is one */
static int write_layer(struct oci_layout *l)
{
	const struct pieces *list = l->list;

	/* what lies behind the image in its file or device is not of it */
	if (!list)
		return write_file(l, NULL, &l->layer, NULL, 0, l->v->img.geo->image_bytes);
	for (; l->pieces < list->n; l->pieces++)
		if (write_piece(l, &list->v[l->pieces]))
			return -1;
	return write_file(l, NULL, &l->layer, l->text, 0, l->len);
}

static void describe(struct json *j, const char *key, const char *type, const struct blob *b)
{
	json_begin_object(j, key);
	json_str(j, "mediaType", type);
	json_str(j, "digest", b->digest);
	json_u64(j, "size", b->bytes);
}

static void put_created(struct json *j, s64 ns)
{
	const time_t t = nsec_split(ns).sec;
	char text[64];
	struct tm tm;

	if (gmtime_r(&t, &tm) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		json_str(j, "org.opencontainers.image.created", text);
}

/* What a reader may want to know before he asks for the image.  All values are texts. */
static void annotate(struct json *j, const struct oci_layout *l)
{
	const struct dsfs_geo *geo = l->v->img.geo;
	char uuid[UUID_STR_LEN];

	uuid_unparse(geo->uuid, uuid);
	json_begin_object(j, "annotations");
	put_created(j, geo->build_time);
	if (*l->note.digest)
		json_str(j, "vnd.dsfs.digest", l->note.digest);
	json_strf(j, "vnd.dsfs.generation", "%llu", geo->generation);
	if (*geo->label)
		json_str(j, "vnd.dsfs.label", (const char *)geo->label);
	json_str(j, "vnd.dsfs.uuid", uuid);
	json_strf(j, "vnd.dsfs.image-bytes", "%llu", geo->image_bytes);
	json_strf(j, "vnd.dsfs.content-bytes", "%llu", geo->content_bytes);
	json_strf(j, "vnd.dsfs.files", "%llu", geo->files);
	json_end(j);
}

static void make_manifest(struct json *j, const struct oci_layout *l)
{
	struct blob b;

	json_begin_object(j, NULL);
	json_u64(j, "schemaVersion", 2);
	json_str(j, "mediaType", MANIFEST);
	json_str(j, "artifactType", TYPE);
	describe(j, "config", CONFIG, &l->config);
	json_end(j);
	json_begin_array(j, "layers");
	describe(j, NULL, l->list ? LIST : LAYER, &l->layer);
	json_begin_object(j, "annotations");
	json_str(j, "org.opencontainers.image.title", l->list ? "image.list" : "image.dsfs");
	json_end(j);
	json_end(j);
	for (size_t i = 0; l->list && i < l->pieces; i++) {
		b.bytes = l->list->v[i].bytes;
		digest_text(DSFS_DIGEST_NONE, l->list->v[i].sum, b.digest);
		describe(j, NULL, PART, &b);
		json_end(j);
	}
	json_end(j);
	annotate(j, l);
	json_end(j);
}

static void make_index(struct json *j, const struct oci_layout *l)
{
	json_begin_object(j, NULL);
	json_u64(j, "schemaVersion", 2);
	json_str(j, "mediaType", INDEX);
	json_begin_array(j, "manifests");
	describe(j, NULL, MANIFEST, &l->manifest);
	json_str(j, "artifactType", TYPE);
	json_begin_object(j, "annotations");
	json_str(j, "org.opencontainers.image.ref.name", "latest");
	json_end(j);
	json_end(j);
	json_end(j);
	json_end(j);
}

/* The same of what @fill writes */
static int write_json(struct oci_layout *l, const char *name, struct blob *b,
		      void (*fill)(struct json *, const struct oci_layout *))
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct json j;
	int ret;

	if (out) {
		json_init(&j, out);
		fill(&j, l);
	}
	ret = out && !fclose(out) ? 0 : no_memory();
	if (!ret && len > MANIFEST_MAX)
		ret = msg_error(l->path, "a manifest of %zu bytes, at most %d: larger pieces",
				len, MANIFEST_MAX);
	ret = ret ?: write_file(l, name, b, text, 0, len);
	free(text);
	return ret;
}

static void remove_blob(const struct oci_layout *l, const struct blob *b)
{
	if (*b->digest)
		unlinkat(l->blobs, b->digest + 7, 0);
}

static void remove_all(const struct oci_layout *l)
{
	struct blob b;

	if (l->dir < 0)
		return;
	for (size_t i = 0; l->list && i < l->pieces; i++) {
		digest_text(DSFS_DIGEST_NONE, l->list->v[i].sum, b.digest);
		remove_blob(l, &b);
	}
	remove_blob(l, &l->layer);
	remove_blob(l, &l->config);
	remove_blob(l, &l->manifest);
	unlinkat(l->dir, "oci-layout", 0);
	unlinkat(l->dir, BLOBS, AT_REMOVEDIR);
	unlinkat(l->dir, "blobs", AT_REMOVEDIR);
	rmdir(l->path);
}

static int make(struct oci_layout *l)
{
	static const char version[] = "{\"imageLayoutVersion\":\"1.0.0\"}\n";
	int ret = make_folders(l) ?:
		  write_layer(l) ?:
		  write_file(l, NULL, &l->config, "{}", 0, 2) ?:
		  write_json(l, NULL, &l->manifest, make_manifest) ?:
		  write_file(l, "oci-layout", NULL, version, 0, strlen(version)) ?:
		  write_json(l, "index.json", NULL, make_index);

	if (ret)
		remove_all(l);
	if (l->blobs >= 0)
		close(l->blobs);
	if (l->dir >= 0)
		close(l->dir);
	return ret;
}

int export_oci(struct view *v, struct json *j, void *arg)
{
	const char *path = *((struct view_options *)arg)->words;
	struct oci_layout l = { .v = v, .path = path, .dir = -1, .blobs = -1 };
	int ret;

	/* A blob beyond RLIMIT_FSIZE is an error of it. */
	signal(SIGXFSZ, SIG_IGN);
	if (sha256_library_init())
		return -1;
	if (sha256_init(&l.hash))
		return no_memory();
	note_text(v, v->img.geo, &l.note);
	l.list = reader_list(v->img.reader, &l.text, &l.len);
	ret = v->errors->count ? -1 : make(&l);
	sha256_free(&l.hash);
	if (ret)
		return ret;
	show_text(j, "manifest", "manifest:  ", l.manifest.digest);
	show_text(j, "blob", "blob:      ", l.layer.digest);
	json_show_u64(j, "bytes", "bytes:     %llu\n", l.list ? l.list->bytes : l.layer.bytes);
	if (l.list)
		json_show_u64(j, "pieces", "pieces:    %llu\n", l.list->n);
	return 0;
}
