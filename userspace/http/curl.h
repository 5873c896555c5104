/* SPDX-License-Identifier: GPL-2.0 */
/* libcurl, loaded when it is first needed. */
#ifndef HTTP_CURL_H
#define HTTP_CURL_H

#include <curl/curl.h>

/**
 * struct curl - the functions that are used, named without "curl_"
 *
 * None is newer than 7.68.  Numeric options must be passed as long: the functions are variadic,
 * so the compiler does not convert them.
 */
struct curl {
	__typeof__(&curl_global_init) global_init;
	__typeof__(&curl_slist_append) slist_append;
	__typeof__(&curl_slist_free_all) slist_free_all;
	__typeof__(&curl_easy_init) easy_init;
	__typeof__(&curl_easy_reset) easy_reset;
	__typeof__(&curl_easy_setopt) easy_setopt;
	__typeof__(&curl_easy_getinfo) easy_getinfo;
	__typeof__(&curl_easy_cleanup) easy_cleanup;
	__typeof__(&curl_easy_strerror) easy_strerror;
	__typeof__(&curl_multi_init) multi_init;
	__typeof__(&curl_multi_setopt) multi_setopt;
	__typeof__(&curl_multi_add_handle) multi_add_handle;
	__typeof__(&curl_multi_remove_handle) multi_remove_handle;
	__typeof__(&curl_multi_perform) multi_perform;
	__typeof__(&curl_multi_info_read) multi_info_read;
	__typeof__(&curl_multi_poll) multi_poll;
	__typeof__(&curl_multi_wakeup) multi_wakeup;
	__typeof__(&curl_multi_cleanup) multi_cleanup;
};

/** curl_load - load libcurl once, from any thread; NULL: it cannot be loaded */
const struct curl *curl_load(void);

#endif /* HTTP_CURL_H */
