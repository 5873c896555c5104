// SPDX-License-Identifier: GPL-2.0
/*
 * libcurl, loaded when the first object is opened.
 *
 * If it were linked, every command, also the helpers of udev and mount, would load some thirty
 * libraries at its start, for TLS, Kerberos and LDAP; and a package whose users read local
 * files only would depend on all of them.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

#include "curl.h"

/* With OpenSSL, and Debian's with GnuTLS */
static const char * const names[] = { "libcurl.so.4", "libcurl-gnutls.so.4" };

static const struct {
	const char *name;
	size_t to;
} wanted[] = {
#define CURL_WANTED(name) { "curl_" #name, offsetof(struct curl, name) },
	CURL_FUNCTIONS(CURL_WANTED)
};

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
	void *lib = open_any(), *function;

	if (!lib)
		return;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		function = dlsym(lib, wanted[i].name);
		if (!function)
			return;
		*(void **)((char *)&functions + wanted[i].to) = function;
	}
	if (!functions.global_init(CURL_GLOBAL_DEFAULT))
		loaded = &functions;
}

const struct curl *curl_load(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return loaded;
}
