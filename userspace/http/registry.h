/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Artifacts of registries, by the OCI's specifications of images and of distribution (1.1; what
 * 1.0 knows is enough): a manifest by name, a blob that it describes, and tokens for both.
 */
#ifndef HTTP_REGISTRY_H
#define HTTP_REGISTRY_H

#include "object.h"

/* The type of a layer that is an image; dump.dsfs --oci writes it */
#define OCI_LAYER	"application/vnd.dsfs.image.layer.v1"

/**
 * registry_resolve - find the blob that an address oci://... means
 * @obj: gets @first, @size, @ref and maybe @authorization
 * @why: gets what is wrong
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
 * registry_renew - make another authorization, by the challenge that came last
 * @serial: of the one that was refused; if there is another by now, nothing is to be done
 *
 * Return: 0 or a negative errno.
 */
int registry_renew(struct http_object *obj, unsigned int serial, int (*stop)(void),
		   char why[HTTP_WHY]);

#endif /* HTTP_REGISTRY_H */
