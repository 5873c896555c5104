/* SPDX-License-Identifier: GPL-2.0 */
/* Files of the AWS tools, which are read by Python's configparser: its syntax, and no other. */
#ifndef HTTP_INI_H
#define HTTP_INI_H

#include <sys/queue.h>

#include "http.h"

/**
 * struct ini_entry - an option, or a section that begins (@key is NULL)
 */
struct ini_entry {
	STAILQ_ENTRY(ini_entry) link;
	char *section;
	char *key;
	char *value;
};

STAILQ_HEAD(ini, ini_entry);

/**
 * ini_read - read a file; one that cannot be opened is empty
 * @ini: filled in; to be freed with ini_free() in any case
 *
 * Return: 0, -EINVAL with @why, or -ENOMEM.
 */
int ini_read(struct ini *ini, const char *path, char why[HTTP_WHY]);
void ini_free(struct ini *ini);

/** ini_get - the value of an option, or NULL; those of the section DEFAULT are in all sections */
const char *ini_get(const struct ini *ini, const char *section, const char *key);

/** ini_has - whether there is a section */
bool ini_has(const struct ini *ini, const char *section);

#endif /* HTTP_INI_H */
