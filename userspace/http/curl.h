/* SPDX-License-Identifier: GPL-2.0 */
/* libcurl, loaded when it is first needed. */
#ifndef HTTP_CURL_H
#define HTTP_CURL_H

#include <curl/curl.h>

/* What is used of it; nothing is newer than 7.68, but headers may be */
#define CURL_FUNCTIONS(f) \
	f(global_init) f(slist_append) f(slist_free_all) \
	f(easy_init) f(easy_reset) f(easy_setopt) f(easy_getinfo) f(easy_cleanup) \
	f(easy_strerror) \
	f(multi_init) f(multi_setopt) f(multi_add_handle) f(multi_remove_handle) \
	f(multi_perform) f(multi_info_read) f(multi_poll) f(multi_wakeup) f(multi_cleanup)

/** struct curl - its functions, without "curl_" */
struct curl {
#define CURL_MEMBER(name) __typeof__(curl_##name) *name;
	CURL_FUNCTIONS(CURL_MEMBER)
#undef CURL_MEMBER
};

/** curl_load - for any thread; NULL if there is none */
const struct curl *curl_load(void);

#endif /* HTTP_CURL_H */
