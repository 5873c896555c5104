// SPDX-License-Identifier: GPL-2.0
/* Values on command lines.  strtoull() would take "-1" for a large number, and "4x" for 4. */
#include <ctype.h>
#include <strings.h>

#include "nsec.h"
#include "parse.h"

/* Parse a number at the start of @s. */
static int parse_head(const char *s, int base, u64 *v, const char **end)
{
	char *stop;

	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	errno = 0;
	*v = strtoull(s, &stop, base);
	if (errno)
		return -ERANGE;
	*end = stop;
	return 0;
}

static int parse_all(const char *s, int base, u64 *v)
{
	const char *end;
	u64 n;
	int ret = parse_head(s, base, &n, &end);

	if (ret)
		return ret;
	if (*end)
		return -EINVAL;
	*v = n;
	return 0;
}

int parse_u64(const char *s, u64 *v)
{
	return parse_all(s, 0, v);
}

int parse_decimal(const char *s, u64 *v)
{
	return parse_all(s, 10, v);
}

int parse_size(const char *s, u64 *v)
{
	static const char units[] = "KMGTPE";
	const char *end, *unit;
	unsigned int base = 1024;
	u64 n;
	int ret = parse_head(s, 0, &n, &end);

	if (ret)
		return ret;
	if (!*end) {
		*v = n;
		return 0;
	}
	unit = strchr(units, toupper((unsigned char)*end));
	if (!unit)
		return -EINVAL;
	if (!strcasecmp(end + 1, "B"))
		base = 1000;
	else if (end[1] && strcasecmp(end + 1, "iB"))
		return -EINVAL;
	for (int i = unit - units; i >= 0; i--) {
		if (__builtin_mul_overflow(n, (u64)base, &n))
			return -ERANGE;
	}
	*v = n;
	return 0;
}

/* Parse the digits after a decimal point as nanoseconds. */
static int parse_fraction(const char *s, s64 *ns)
{
	s64 scale = NSEC_PER_SEC / 10;

	if (!*s)
		return -EINVAL;
	for (*ns = 0; *s; s++, scale /= 10) {
		if (!isdigit((unsigned char)*s) || !scale)
			return -EINVAL;
		*ns += (*s - '0') * scale;
	}
	return 0;
}

int parse_time(const char *s, s64 *ns)
{
	bool minus = false;
	const char *end;
	s64 frac = 0, v;
	u64 sec;
	int ret;

	if (*s == '-') {
		minus = true;
		s++;
	}
	ret = parse_head(s, 10, &sec, &end);
	if (ret)
		return ret;
	if (*end == '.') {
		ret = parse_fraction(end + 1, &frac);
		if (ret)
			return ret;
	} else if (*end) {
		return -EINVAL;
	}
	if (sec > INT64_MAX)
		return -ERANGE;
	v = minus ? -(s64)sec : (s64)sec;
	if (minus)
		frac = -frac;
	if (__builtin_mul_overflow(v, NSEC_PER_SEC, &v) || __builtin_add_overflow(v, frac, &v))
		return -ERANGE;
	*ns = v;
	return 0;
}

int parse_source_date_epoch(s64 *ns)
{
	const char *s = getenv("SOURCE_DATE_EPOCH");
	u64 sec;
	int ret = s ? parse_decimal(s, &sec) : 0;

	if (!s || ret)
		return ret;
	return __builtin_mul_overflow(sec, NSEC_PER_SEC, ns) ? -ERANGE : 1;
}

char *parse_format_size(char *buf, size_t size, u64 v)
{
	static const char units[] = "KMGTPE";
	double d = v;
	int i = -1;

	while (d >= 1023.95 && i < 5) {
		d /= 1024;
		i++;
	}
	if (i < 0)
		snprintf(buf, size, "%llu B", (unsigned long long)v);
	else
		snprintf(buf, size, "%.1f %ciB", d, units[i]);
	return buf;
}
