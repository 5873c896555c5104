/* SPDX-License-Identifier: GPL-2.0 */
/* The way to a server, as the environment has it: proxies, and authorities that are trusted. */
#ifndef HTTP_WAY_H
#define HTTP_WAY_H

#include "object.h"

/** way_set - set proxy and authorities of a transfer to @r->via; 0 or -ENOMEM */
int way_set(struct http_range *r);

#endif /* HTTP_WAY_H */
