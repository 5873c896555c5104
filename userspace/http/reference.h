/* SPDX-License-Identifier: GPL-2.0 */
/* oci://HOST/NAME[:TAG][@sha256:HEX]: an artifact of a registry, by name. */
#ifndef HTTP_REFERENCE_H
#define HTTP_REFERENCE_H

#include "http.h"

#define OCI_SCHEME	"oci://"
/* "sha256:" and its digits, terminated */
#define OCI_DIGEST	(7 + 64 + 1)

/**
 * struct reference - a reference, taken apart
 * @host: with its port
 * @base: "https://host/v2/name"
 * @name: of the repository
 * @wanted: the tag, or the digest as "sha256:HEX"
 * @pinned: it is the digest
 */
struct reference {
	char *host;
	char *base;
	char *name;
	char *wanted;
	bool pinned;
};

/**
 * reference_parse - take an oci:// address apart
 * @plain: http, whatever the host is; this machine is asked by http anyway
 * @ref: filled in on success; to be freed with reference_free()
 * @why: gets what is wrong
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int reference_parse(struct reference *ref, const char *address, bool plain, char why[HTTP_WHY]);
void reference_free(struct reference *ref);

/** reference_is_digest - whether a text is "sha256:" and 64 digits, in small letters */
bool reference_is_digest(const char *text);

#endif /* HTTP_REFERENCE_H */
