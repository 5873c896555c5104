/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Artifacts in registries, by the OCI specifications of images and of distribution (1.1; 1.0 is
 * enough): the manifest of a reference, the blob that it describes, and tokens for both.
 */
#ifndef HTTP_REGISTRY_H
#define HTTP_REGISTRY_H

#include "object.h"

/* The type of a layer that is an image; dsfs oci writes it */
#define OCI_LAYER	"application/vnd.dsfs.image.layer.v1"
/* The same of one that is a list, whose pieces are layers, too, so that the registry keeps them */
#define OCI_LIST	"application/vnd.dsfs.image.list.v1+json"
#define OCI_MANIFEST	"application/vnd.oci.image.manifest.v1+json"

/**
 * registry_resolve - find the blob of an oci:// address
 * @obj: its @first, @size, @ref and, if required, @authorization are set
 * @why: filled in with the reason of an error
 *
 * Return: 0 or a negative errno.
 */
int registry_resolve(struct http_object *obj, const char *address, char why[HTTP_WHY]);

/** registry_authorize - make an authorization for the last challenge; 0 or a negative errno */
int registry_authorize(struct http_object *obj, int (*stop)(void), char why[HTTP_WHY]);

/**
 * challenge_url - make the URL of a request for a token
 * @challenge: "Bearer realm=...", as the registry sent it
 * @ref: the artifact that the token is for
 * @url: set to the URL, allocated; NULL on failure
 * @why: filled in with the reason of an error
 *
 * Return: 0, -EREMOTEIO or -ENOMEM.
 */
int challenge_url(const char *challenge, const struct reference *ref, char **url,
		  char why[HTTP_WHY]);

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

/* Bytes of the text that tells which files were looked at */
#define LOGIN_SAID	160

/**
 * login_find - find user and password for a registry, in the files of container tools
 * @value: value of the header Authorization, "Basic ...", allocated; NULL: none for this name
 * @said: filled in with the files that were looked at, and what they had for it
 * @why: filled in with the reason of an error
 *
 * Return: 0, -EINVAL (a file is wrong) or -ENOMEM.
 */
int login_find(const struct reference *ref, char **value, char said[LOGIN_SAID],
	       char why[HTTP_WHY]);

#endif /* HTTP_REGISTRY_H */
