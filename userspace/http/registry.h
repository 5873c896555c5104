/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Artifacts in registries, by the OCI specifications of images and of distribution (1.1; 1.0 is
 * enough): the manifest of a reference, the blob that it describes, and tokens for both.
 */
#ifndef HTTP_REGISTRY_H
#define HTTP_REGISTRY_H

#include "object.h"

/* The type of a layer that is an image; dump.dsfs --oci writes it */
#define OCI_LAYER	"application/vnd.dsfs.image.layer.v1"

/**
 * registry_resolve - find the blob of an oci:// address
 * @obj: its @first, @size, @ref and, if required, @authorization are set
 * @why: filled in with the reason of an error
 *
 * Return: 0 or a negative errno.
 */
int registry_resolve(struct http_object *obj, const char *address, char why[HTTP_WHY]);

/**
 * registry_can_renew - whether it is an artifact whose registry sent a challenge
 *
 * One that refuses without a challenge wants nothing to be known.
 */
bool registry_can_renew(struct http_object *obj);

/**
 * registry_renew - make a new authorization for the last challenge
 * @serial: that of the refused one; nothing is done if there is a newer one
 *
 * Return: 0 or a negative errno.
 */
int registry_renew(struct http_object *obj, unsigned int serial, int (*stop)(void),
		   char why[HTTP_WHY]);

#endif /* HTTP_REGISTRY_H */
