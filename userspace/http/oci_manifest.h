/* SPDX-License-Identifier: GPL-2.0 */
/* The manifest of an artifact. */
#ifndef HTTP_OCI_MANIFEST_H
#define HTTP_OCI_MANIFEST_H

#include "reference.h"

#define OCI_MANIFEST	"application/vnd.oci.image.manifest.v1+json"

/**
 * oci_manifest - find the blob of the image
 * @text: the manifest, which is not trusted
 * @wanted: digest that the manifest must have, or NULL
 * @blob: filled in with the digest of the image
 * @size: set to the size of the image by the manifest
 * @why: filled in with the reason of an error
 *
 * Return: 0 or -EREMOTEIO.
 */
int oci_manifest(const char *text, size_t len, const char *wanted, char blob[OCI_DIGEST],
		 uint64_t *size, char why[HTTP_WHY]);

#endif /* HTTP_OCI_MANIFEST_H */
