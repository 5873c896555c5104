// SPDX-License-Identifier: GPL-2.0
/*
 * An image as an artifact in an OCI image layout, a folder that programs for registries
 * push.  The image is a blob of it as it is, so that a registry can be read by ranges.  All of
 * it follows from the image: the same image makes the same manifest, wherever it is made.
 *
 * index.json, which makes the folder a layout, is written last, and a run that fails removes
 * what it made.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <uuid/uuid.h>

#include "export.h"
#include "io.h"
#include "msg.h"
#include "newfile.h"
#include "note.h"
#include "sha256.h"

/* Types of the artifact; readers know it by that of its layer (userspace/http/registry.h). */
#define TYPE	"application/vnd.dsfs.image.v1"
#define CONFIG	"application/vnd.dsfs.image.config.v1+json"
#define LAYER	"application/vnd.dsfs.image.layer.v1"
#define MANIFEST	"application/vnd.oci.image.manifest.v1+json"
#define INDEX	"application/vnd.oci.image.index.v1+json"

#define PIECE	(4 << 20)
#define BLOBS	"blobs/sha256"
/* "sha256:HEX", terminated */
#define TEXT	(7 + 2 * SHA256_BYTES + 1)

/**
 * struct blob - a blob that was written
 * @digest: "sha256:HEX"
 */
struct blob {
	char digest[TEXT];
	u64 bytes;
};

/**
 * struct oci_layout - a layout that is made
 * @path: of its folder; @dir, open, and @blobs, that of blobs; -1: not yet
 * @note: of the generation
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
	struct blob layer;
	struct blob config;
	struct blob manifest;
};

static int failed(const struct oci_layout *l, const char *what)
{
	msg_error(l->path, "%s: %s", what, msg_why(errno));
	return -1;
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

/* A file of private mode, made readable to whom the mask lets */
static int new_file(struct oci_layout *l, int dir)
{
	const mode_t mask = umask(0);

	umask(mask);
	if (newfile_open(&l->file, dir))
		return failed(l, "create");
	if (!fchmod(l->file.fd, 0666 & ~mask))
		return 0;
	failed(l, "mode");
	newfile_drop(&l->file);
	return -1;
}

static int put(struct oci_layout *l, const void *data, size_t len, u64 pos)
{
	sha256_put(&l->hash, data, len);
	return io_pwrite(l->file.fd, data, len, pos) == len ? 0 : failed(l, "write");
}

/* The blob that was put gets its name. */
static int end_blob(struct oci_layout *l, struct blob *b, u64 bytes)
{
	u8 sum[SHA256_BYTES];
	const char *what;

	sha256_end(&l->hash, sum);
	b->bytes = bytes;
	memcpy(b->digest, "sha256:", 7);
	for (size_t i = 0; i < SHA256_BYTES; i++)
		snprintf(b->digest + 7 + 2 * i, 3, "%02x", sum[i]);
	what = newfile_publish(&l->file, b->digest + 7);
	if (!what)
		return 0;
	b->digest[0] = '\0';
	return failed(l, what);
}

static int put_image(struct oci_layout *l, void *buf, u64 bytes)
{
	const struct image *img = &l->v->img;
	size_t len;
	int ret = 0;

	for (u64 pos = 0; !ret && pos < bytes; pos += len) {
		len = bytes - pos < PIECE ? bytes - pos : PIECE;
		ret = image_pread(img, buf, len, pos);
		if (ret) {
			msg_error(img->path, "bytes from %llu on: %s", pos, msg_why(-ret));
			return -1;
		}
		ret = put(l, buf, len, pos);
	}
	return ret;
}

/* What lies behind the image in its file or device is not of it. */
static int write_layer(struct oci_layout *l)
{
	const u64 bytes = l->v->img.geo->image_bytes;
	void *buf = malloc(PIECE);
	int ret;

	if (!buf)
		no_memory();
	ret = buf ? new_file(l, l->blobs) : -1;
	if (!ret) {
		ret = put_image(l, buf, bytes);
		if (ret)
			newfile_drop(&l->file);
		else
			ret = end_blob(l, &l->layer, bytes);
	}
	free(buf);
	return ret;
}

static int write_text(struct oci_layout *l, struct blob *b, const char *text, size_t len)
{
	if (new_file(l, l->blobs))
		return -1;
	if (!put(l, text, len, 0))
		return end_blob(l, b, len);
	newfile_drop(&l->file);
	return -1;
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
	json_begin_object(j, NULL);
	json_u64(j, "schemaVersion", 2);
	json_str(j, "mediaType", MANIFEST);
	json_str(j, "artifactType", TYPE);
	describe(j, "config", CONFIG, &l->config);
	json_end(j);
	json_begin_array(j, "layers");
	describe(j, NULL, LAYER, &l->layer);
	json_begin_object(j, "annotations");
	json_str(j, "org.opencontainers.image.title", "image.dsfs");
	json_end(j);
	json_end(j);
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

static char *text_of(const struct oci_layout *l,
		     void (*make)(struct json *, const struct oci_layout *), size_t *len)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, len);
	struct json j;

	if (!out) {
		no_memory();
		return NULL;
	}
	json_init(&j, out);
	make(&j, l);
	if (fclose(out)) {
		free(text);
		text = NULL;
		no_memory();
	}
	return text;
}

static int write_manifest(struct oci_layout *l)
{
	size_t len;
	char *text = text_of(l, make_manifest, &len);
	int ret = text ? write_text(l, &l->manifest, text, len) : -1;

	free(text);
	return ret;
}

static int write_named(struct oci_layout *l, const char *name, const char *text, size_t len)
{
	const char *what;

	if (new_file(l, l->dir))
		return -1;
	if (io_pwrite(l->file.fd, text, len, 0) != len) {
		failed(l, "write");
		newfile_drop(&l->file);
		return -1;
	}
	what = newfile_publish(&l->file, name);
	return what ? failed(l, what) : 0;
}

static int write_ends(struct oci_layout *l)
{
	static const char version[] = "{\"imageLayoutVersion\":\"1.0.0\"}\n";
	size_t len;
	char *text = text_of(l, make_index, &len);
	int ret = text ? write_named(l, "oci-layout", version, strlen(version)) : -1;

	if (!ret)
		ret = write_named(l, "index.json", text, len);
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
	if (l->dir < 0)
		return;
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
	int ret = make_folders(l);

	if (!ret)
		ret = write_layer(l);
	if (!ret)
		ret = write_text(l, &l->config, "{}", 2);
	if (!ret)
		ret = write_manifest(l);
	if (!ret)
		ret = write_ends(l);
	if (ret)
		remove_all(l);
	if (l->blobs >= 0)
		close(l->blobs);
	if (l->dir >= 0)
		close(l->dir);
	return ret;
}

int export_oci(struct view *v, struct json *j, const char *path)
{
	struct oci_layout l = { .v = v, .path = path, .dir = -1, .blobs = -1 };
	int ret;

	/* A blob beyond RLIMIT_FSIZE is an error of it. */
	signal(SIGXFSZ, SIG_IGN);
	if (sha256_library_init())
		return -1;
	if (sha256_init(&l.hash)) {
		no_memory();
		return -1;
	}
	note_text(v, v->img.geo, &l.note);
	ret = v->errors->count ? -1 : make(&l);
	sha256_free(&l.hash);
	if (ret)
		return ret;
	show_text(j, "manifest", "manifest:  ", l.manifest.digest);
	show_text(j, "blob", "blob:      ", l.layer.digest);
	json_show_u64(j, "bytes", "bytes:     %llu\n", l.layer.bytes);
	return 0;
}
