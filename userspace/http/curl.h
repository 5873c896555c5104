/* SPDX-License-Identifier: GPL-2.0 */
/* libcurl, loaded when it is first needed. */
#ifndef HTTP_CURL_H
#define HTTP_CURL_H

#include <curl/curl.h>

/* The functions that are used, named without "curl_".  None is newer than 7.68. */
#define CURL_FUNCTIONS(of)							\
	of(global_init) of(slist_append) of(slist_free_all)			\
	of(easy_init) of(easy_reset) of(easy_setopt) of(easy_getinfo)		\
	of(easy_cleanup) of(easy_strerror)					\
	of(multi_init) of(multi_setopt) of(multi_add_handle)			\
	of(multi_remove_handle) of(multi_perform) of(multi_info_read)		\
	of(multi_poll) of(multi_wakeup) of(multi_cleanup)

/**
 * struct curl - the functions
 *
 * Numeric options must be passed as long: the functions are variadic, so the compiler does not
 * convert them.
 */
struct curl {
#define CURL_MEMBER(name) __typeof__(&curl_ ## name) name;
	CURL_FUNCTIONS(CURL_MEMBER)
};

/** curl_load - load libcurl once, from any thread; NULL: it cannot be loaded */
const struct curl *curl_load(void);

#endif /* HTTP_CURL_H */
