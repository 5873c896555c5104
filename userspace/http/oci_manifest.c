// SPDX-License-Identifier: GPL-2.0
/*
 * Manifests of artifacts.  An artifact is an image if it has a layer of type OCI_LAYER.  Its
 * artifactType is not checked: it is for listings, and OCI 1.0 does not have it.
 */
#include <string.h>

#include "hash.h"
#include "json_load.h"
#include "oci_manifest.h"
#include "registry.h"

static int check_digest(const char *text, size_t len, const char *wanted, char why[HTTP_WHY])
{
	uint8_t sum[HASH_BYTES];
	char hex[HASH_HEX];

	if (!wanted)
		return 0;
	hash_sha256(text, len, sum);
	hash_hex(sum, hex);
	if (!strcmp(wanted + strlen("sha256:"), hex))
		return 0;
	snprintf(why, HTTP_WHY, "manifest: its digest is sha256:%s, another was asked for", hex);
	return -EREMOTEIO;
}

static const json_t *find_layer(const json_t *layers, unsigned int *found)
{
	const json_t *layer = NULL, *at;
	const char *type;

	*found = 0;
	for (size_t i = 0; i < json_array_size(layers); i++) {
		at = json_array_get(layers, i);
		type = json_text(at, "mediaType");
		if (!type || strcmp(type, OCI_LAYER))
			continue;
		layer = at;
		++*found;
	}
	return layer;
}

static int take_layer(const json_t *layer, char blob[OCI_DIGEST], uint64_t *size,
		      char why[HTTP_WHY])
{
	const char *digest = json_text(layer, "digest");

	if (!digest || !reference_is_digest(digest)) {
		snprintf(why, HTTP_WHY, "manifest: the digest of its layer is not sha256:HEX");
		return -EREMOTEIO;
	}
	if (!json_count(layer, "size", size) || !*size) {
		snprintf(why, HTTP_WHY, "manifest: the size of its layer is no number above 0");
		return -EREMOTEIO;
	}
	memcpy(blob, digest, OCI_DIGEST);
	return 0;
}

static int take(const json_t *root, char blob[OCI_DIGEST], uint64_t *size, char why[HTTP_WHY])
{
	const char *type = json_text(root, "mediaType");
	const json_t *layer;
	unsigned int found;
	uint64_t version;

	if (!json_count(root, "schemaVersion", &version) || version != 2) {
		snprintf(why, HTTP_WHY, "manifest: its schemaVersion is not 2");
		return -EREMOTEIO;
	}
	/* mediaType is optional */
	if (type && strcmp(type, OCI_MANIFEST)) {
		snprintf(why, HTTP_WHY, "manifest: it is of type %.80s, expected " OCI_MANIFEST,
			 type);
		return -EREMOTEIO;
	}
	layer = find_layer(json_object_get(root, "layers"), &found);
	if (found == 1)
		return take_layer(layer, blob, size, why);
	snprintf(why, HTTP_WHY, "manifest: %u layers of type " OCI_LAYER ", expected 1", found);
	return -EREMOTEIO;
}

int oci_manifest(const char *text, size_t len, const char *wanted, char blob[OCI_DIGEST],
		 uint64_t *size, char why[HTTP_WHY])
{
	json_t *root;
	int ret = check_digest(text, len, wanted, why);

	if (!ret)
		ret = json_load(text, len, "manifest", &root, why);
	if (ret)
		return -EREMOTEIO;
	ret = take(root, blob, size, why);
	json_decref(root);
	return ret;
}
