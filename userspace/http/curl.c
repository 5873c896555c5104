// SPDX-License-Identifier: GPL-2.0
/*
 * libcurl, loaded when the first object is opened.
 *
 * A link to it would have every command load some thirty libraries, for TLS, Kerberos and
 * LDAP, before its first line runs, udev's helper and mount's among them; and a package that
 * reads files alone would need them all.
 */
#include <dlfcn.h>
#include <pthread.h>

#include "curl.h"

/* That of OpenSSL, and Debian's of GnuTLS */
static const char * const names[] = { "libcurl.so.4", "libcurl-gnutls.so.4" };

static struct curl functions;
static const struct curl *loaded;

static void *open_any(void)
{
	void *lib = NULL;

	for (size_t i = 0; !lib && i < sizeof(names) / sizeof(*names); i++)
		lib = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	return lib;
}

static void load(void)
{
	void *lib = open_any();

	if (!lib)
		return;
#define CURL_FIND(name) \
	functions.name = (__typeof__(functions.name))dlsym(lib, "curl_" #name); \
	if (!functions.name) \
		return;
	CURL_FUNCTIONS(CURL_FIND)
#undef CURL_FIND
	if (!functions.global_init(CURL_GLOBAL_DEFAULT))
		loaded = &functions;
}

const struct curl *curl_load(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return loaded;
}
