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

static const struct function {
	const char *name;
	size_t to;
} wanted[] = {
	{ "curl_global_init", offsetof(struct curl, global_init) },
	{ "curl_slist_append", offsetof(struct curl, slist_append) },
	{ "curl_slist_free_all", offsetof(struct curl, slist_free_all) },
	{ "curl_easy_init", offsetof(struct curl, easy_init) },
	{ "curl_easy_reset", offsetof(struct curl, easy_reset) },
	{ "curl_easy_setopt", offsetof(struct curl, easy_setopt) },
	{ "curl_easy_getinfo", offsetof(struct curl, easy_getinfo) },
	{ "curl_easy_cleanup", offsetof(struct curl, easy_cleanup) },
	{ "curl_easy_strerror", offsetof(struct curl, easy_strerror) },
	{ "curl_multi_init", offsetof(struct curl, multi_init) },
	{ "curl_multi_setopt", offsetof(struct curl, multi_setopt) },
	{ "curl_multi_add_handle", offsetof(struct curl, multi_add_handle) },
	{ "curl_multi_remove_handle", offsetof(struct curl, multi_remove_handle) },
	{ "curl_multi_perform", offsetof(struct curl, multi_perform) },
	{ "curl_multi_info_read", offsetof(struct curl, multi_info_read) },
	{ "curl_multi_poll", offsetof(struct curl, multi_poll) },
	{ "curl_multi_wakeup", offsetof(struct curl, multi_wakeup) },
	{ "curl_multi_cleanup", offsetof(struct curl, multi_cleanup) },
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
