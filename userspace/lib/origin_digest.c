// SPDX-License-Identifier: GPL-2.0
/*
 * A digest behind an address: "https://host/flowers.dsfs@sha256:HEX".  It is the option digest= of
 * sources, written where people write which one they mean; so it is made into that option
 * before anybody looks at the address.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "http.h"
#include "image.h"
#include "origin.h"

/*
 * What stands behind an @ as a digest does, or NULL.  A server may take an address whatever
 * stands at its end, so one with a wrong digit is not taken for a part of the address.
 */
static const char *find_digest(const char *address)
{
	const char *at = strrchr(address, '@');

	if (!at || strchr(at, '/') || !expected_is_begun(at + 1))
		return NULL;
	/* that of a manifest, which the registry's part of the address means by it */
	if (http_is_artifact(address) && !strncmp(at + 1, "sha256:", 7))
		return NULL;
	return origin_is_far(address) || access(address, F_OK) ? at + 1 : NULL;
}

static int take_whole(struct origin *o, const char *address, const char *source)
{
	o->address = strdup(address);
	o->source = source ? strdup(source) : NULL;
	return o->address && (o->source || !source) ? 0 : -ENOMEM;
}

static int take_parts(struct origin *o, const char *address, const char *digest,
		      const char *source)
{
	o->address = strndup(address, digest - 1 - address);
	if (asprintf(&o->source, "%s,digest=%s", source ? source : "", digest) < 0)
		o->source = NULL;
	return o->address && o->source ? 0 : -ENOMEM;
}

/* An address comes from anywhere: what follows a comma in it must not become an option. */
static int check_digest(const char *digest, const char **what)
{
	struct expected e;

	if (!expected_parse(digest, &e))
		return 0;
	snprintf(err_far(), ERR_FAR, "address: @%.90s: not sha256: and 64 hexadecimal digits",
		 digest);
	*what = err_far();
	return -EINVAL;
}

int origin_split(struct origin *o, const char *address, const char *source, const char **what)
{
	const char *digest = find_digest(address);
	int ret;

	*what = "address";
	*o = (struct origin){ };
	ret = digest ? check_digest(digest, what) : 0;
	if (ret)
		return ret;
	ret = digest ? take_parts(o, address, digest, source) : take_whole(o, address, source);
	if (ret)
		origin_free(o);
	return ret;
}

void origin_free(struct origin *o)
{
	free(o->address);
	free(o->source);
	*o = (struct origin){ };
}

const char *origin_name(const char *address, char *buf, size_t size)
{
	struct origin o;
	const char *what;

	if (!origin_is_far(address))
		return address;
	if (origin_split(&o, address, NULL, &what))
		return http_name(address, buf, size);
	http_name(o.address, buf, size);
	origin_free(&o);
	return buf;
}
