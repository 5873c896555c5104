/* SPDX-License-Identifier: GPL-2.0 */
/* The manifest of an artifact. */
#ifndef HTTP_OCI_MANIFEST_H
#define HTTP_OCI_MANIFEST_H

#include "reference.h"

#define OCI_MANIFEST	"application/vnd.oci.image.manifest.v1+json"

/**
 * oci_manifest - which blob is the image
 * @text: of the manifest, which is not trusted
 * @wanted: the digest that it has to have, or NULL
 * @blob: gets that of the image
 * @size: and how long it says that is
 * @why: gets what is wrong
 *
 * Return: 0, -EREMOTEIO or -EOPNOTSUPP.
 */
int oci_manifest(const char *text, size_t len, const char *wanted, char blob[OCI_DIGEST],
		 uint64_t *size, char why[HTTP_WHY]);

#endif /* HTTP_OCI_MANIFEST_H */
