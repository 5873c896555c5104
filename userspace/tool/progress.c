// SPDX-License-Identifier: GPL-2.0
/*
 * A progress bar, for runs that take hours.  It is drawn on a terminal only,
 * and cleared before a message is written, so that messages stay whole lines.
 */
#include <sys/ioctl.h>
#include <unistd.h>

#include "clock.h"
#include "msg.h"
#include "parse.h"
#include "progress.h"

#define PERIOD_NS	100000000LL

static bool progress_off;
static bool progress_on_line;

static void put(const char *s, size_t n)
{
	/* an error of drawing does not stop the run */
	ssize_t wrote = write(STDERR_FILENO, s, n);

	(void)wrote;
}

static void progress_clear(void)
{
	if (__atomic_exchange_n(&progress_on_line, false, __ATOMIC_ACQ_REL))
		put("\r\033[K", 4);
}

void progress_enable(bool on)
{
	progress_off = !on;
}

static unsigned int columns(void)
{
	struct winsize ws;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &ws) || ws.ws_col < 20)
		return 80;
	return ws.ws_col < 200 ? ws.ws_col : 200;
}

static void amount(const struct progress *p, char *buf, size_t size, u64 v)
{
	if (p->bytes)
		parse_format_size(buf, size, v);
	else
		snprintf(buf, size, "%llu", (unsigned long long)v);
}

static void progress_draw(const struct progress *p, s64 now)
{
	u64 done = __atomic_load_n(&p->done, __ATOMIC_RELAXED);
	double secs = (now - p->begun) / 1e9;
	double rate = secs > 0 ? done / secs : 0;
	char line[512], have[32], all[32], per[32];
	unsigned int cols = columns();
	int n;

	amount(p, have, sizeof(have), done);
	amount(p, per, sizeof(per), (u64)rate);
	if (p->total) {
		u64 left = done < p->total && rate > 0 ?
			   (u64)((p->total - done) / rate + 1) : 0;
		double part = done < p->total ? (double)done / p->total : 1;

		amount(p, all, sizeof(all), p->total);
		n = snprintf(line, sizeof(line),
			     "%s %3.0f%% %s of %s, %s/s, %llu:%02llu:%02llu left", p->label,
			     part * 100, have, all, per, (unsigned long long)(left / 3600),
			     (unsigned long long)(left / 60 % 60), (unsigned long long)(left % 60));
		if (n + 14 < cols) {
			unsigned int width = cols - n - 4;
			unsigned int full = part * width;

			n += snprintf(line + n, sizeof(line) - n, " [");
			for (unsigned int i = 0; i < width; i++)
				line[n++] = i < full ? '#' : '.';
			line[n++] = ']';
		}
	} else {
		n = snprintf(line, sizeof(line), "%s %s, %s/s", p->label, have, per);
	}
	if (n >= (int)cols)
		n = cols - 1;
	put("\r", 1);
	put(line, n);
	put("\033[K", 3);
	__atomic_store_n(&progress_on_line, true, __ATOMIC_RELEASE);
}

static void start(struct progress *p, const char *label, u64 total, bool bytes)
{
	*p = (struct progress){ .label = label, .total = total, .bytes = bytes };
	p->shown = !progress_off && isatty(STDERR_FILENO);
	if (!p->shown)
		return;
	p->begun = clock_ns();
	p->next = p->begun + PERIOD_NS;
	msg_hook(progress_clear);
}

void progress_start(struct progress *p, const char *label, u64 total)
{
	start(p, label, total, true);
}

void progress_start_count(struct progress *p, const char *label, u64 total)
{
	start(p, label, total, false);
}

void progress_add(struct progress *p, u64 n)
{
	s64 now, next;

	if (!p->shown)
		return;
	__atomic_fetch_add(&p->done, n, __ATOMIC_RELAXED);
	now = clock_ns();
	next = __atomic_load_n(&p->next, __ATOMIC_RELAXED);
	if (now < next)
		return;
	/* the thread that advances the time of the next drawing draws this one */
	if (__atomic_compare_exchange_n(&p->next, &next, now + PERIOD_NS, false,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		progress_draw(p, now);
}

void progress_end(struct progress *p)
{
	if (!p->shown)
		return;
	progress_clear();
	msg_hook(NULL);
	p->shown = false;
}
