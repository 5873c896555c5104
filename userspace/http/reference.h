/* SPDX-License-Identifier: GPL-2.0 */
/* References of artifacts in registries: oci://HOST/NAME[:TAG][@sha256:HEX]. */
#ifndef HTTP_REFERENCE_H
#define HTTP_REFERENCE_H

#include "http.h"

#define OCI_SCHEME	"oci://"
/* Size of "sha256:" and 64 digits, terminated */
#define OCI_DIGEST	(7 + 64 + 1)

/**
 * struct reference - a parsed reference
 * @host: with its port
 * @base: URL of the repository, "https://host/v2/name"
 * @name: name of the repository
 * @tag: "latest" if the address has none
 * @digest: "sha256:HEX", which decides, whatever the tag; or NULL
 */
struct reference {
	char *host;
	char *base;
	char *name;
	char *tag;
	char *digest;
};

/**
 * reference_parse - parse an oci:// address
 * @plain: use http for any host; for this machine it is used anyway
 * @ref: filled in on success; free it with reference_free()
 * @why: filled in with the reason of an error
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int reference_parse(struct reference *ref, const char *address, bool plain, char why[HTTP_WHY]);
void reference_free(struct reference *ref);

/** reference_is_digest - whether a text is "sha256:" and 64 digits, in lower case */
bool reference_is_digest(const char *text);

#endif /* HTTP_REFERENCE_H */
