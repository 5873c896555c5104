/* SPDX-License-Identifier: GPL-2.0 */
/* Queries of addresses: what of them chooses the object. */
#ifndef HTTP_SIGNED_H
#define HTTP_SIGNED_H

/**
 * signed_query - the query of a URL without the parameters that sign it
 * @url: with or without a query
 *
 * A signature differs each time that it is made, for the same object.  Only parameters of schemes
 * that are known are left out, and only where the scheme is used: any other may choose the object.
 *
 * Return: allocated, without the "?", empty if nothing is left; NULL: no memory.
 */
char *signed_query(const char *url);

#endif /* HTTP_SIGNED_H */
