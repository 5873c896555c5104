// SPDX-License-Identifier: GPL-2.0
/*
 * How well an order mixes.  A directory stands for a class, as ImageFolder has it: a batch of a
 * true shuffle has files of many.
 */
#include "array.h"
#include "mixing.h"
#include "msg.h"
#include "screen.h"
#include "shuffle.h"

#define BAR	40	/* columns */

/* The picture, in pixels */
#define WIDTH	660
#define HEIGHT	300
#define LEFT	10
#define BASE	250	/* bars stand on it */
#define HIGH	200	/* the highest */

static int by_value(const void *p, const void *q)
{
	return array_order(*(const u64 *)p, *(const u64 *)q);
}

static u64 distinct(u64 *v, size_t nr)
{
	u64 n = 0;

	qsort(v, nr, sizeof(*v), by_value);
	for (size_t i = 0; i < nr; i++)
		n += !i || v[i] != v[i - 1];
	return n;
}

/* The directory of each file, as a hash; they are counted, too. */
static u64 *directories(struct mixing *mixing, const struct fileset *set)
{
	u64 *dirs = calloc(set->nr + 1, 2 * sizeof(*dirs));
	const char *path;

	for (size_t i = 0; dirs && i < set->nr; i++) {
		path = set->v[i].path;
		dirs[i] = XXH3_64bits(path, strrchr(path, '/') ? strrchr(path, '/') - path : 0);
		dirs[set->nr + i] = dirs[i];
	}
	if (dirs)
		mixing->dirs = distinct(dirs + set->nr, set->nr);
	return dirs;
}

/* Return the mean of all batches; @parts: of each part too, or NULL. */
static double batches(const u64 *dirs, const u32 *order, size_t nr, double *parts, unsigned int n)
{
	const size_t batch = nr < MIXING_BATCH ? nr : MIXING_BATCH;
	const size_t count = batch ? nr / batch : 0;
	unsigned int in[MIXING_PARTS] = { };
	u64 some[MIXING_BATCH], all = 0, got;

	for (size_t b = 0; b < count; b++) {
		for (size_t i = 0; i < batch; i++)
			some[i] = dirs[order[b * batch + i]];
		got = distinct(some, batch);
		all += got;
		if (parts) {
			parts[b * n / count] += got;
			in[b * n / count]++;
		}
	}
	for (unsigned int i = 0; parts && i < n; i++)
		parts[i] /= in[i];
	return count ? (double)all / count : 0;
}

static double apart(const u32 *order, size_t nr, u32 *turn)
{
	double sum = 0;

	for (size_t i = 0; i < nr; i++)
		turn[order[i]] = i;
	for (size_t i = 1; i < nr; i++)
		sum += turn[i] > turn[i - 1] ? turn[i] - turn[i - 1] : turn[i - 1] - turn[i];
	return nr > 1 ? sum / (nr - 1) / nr : 0;
}

int mixing_of(struct mixing *mixing, const struct fileset *set, const u32 *order, u64 seed)
{
	const size_t count = set->nr / MIXING_BATCH;
	u32 *other = calloc(set->nr + 1, sizeof(*other));
	u64 *dirs = directories(mixing, set);

	if (!other || !dirs) {
		free(other);
		free(dirs);
		return no_memory();
	}
	mixing->files = set->nr;
	mixing->nr = count > MIXING_PARTS ? MIXING_PARTS : count ?: !!set->nr;
	mixing->apart = apart(order, set->nr, other);
	mixing->all = batches(dirs, order, set->nr, mixing->parts, mixing->nr);
	order_true(other, set->nr, seed);
	mixing->fair = batches(dirs, other, set->nr, NULL, 0);
	free(other);
	free(dirs);
	return 0;
}

static double most(const struct mixing *mixing)
{
	double v = mixing->fair;

	for (unsigned int i = 0; i < mixing->nr; i++)
		v = mixing->parts[i] > v ? mixing->parts[i] : v;
	return v;
}

void mixing_print(const struct mixing *mixing)
{
	printf("files:        %llu in %llu director%s\n", mixing->files, mixing->dirs,
	       msg_ies(mixing->dirs));
	printf("neighbours:   %.3f of the epoch apart; a true shuffle: 0.333\n", mixing->apart);
	printf("a batch:      files of %.1f directories; a true shuffle: %.1f\n", mixing->all,
	       mixing->fair);
	for (unsigned int i = 0; i < mixing->nr; i++) {
		printf("from %3u %%    %8.1f  ", i * 100 / mixing->nr, mixing->parts[i]);
		screen_bar(stdout, mixing->parts[i], most(mixing), BAR);
		putchar('\n');
	}
}

/* A number is of the class that says what it is. */
static void draw_text(FILE *f, int x, int y, const char *class, const char *fmt, double v)
{
	fprintf(f, "<text x=\"%d\" y=\"%d\" class=\"%s\">", x, y, class);
	fprintf(f, fmt, v);
	fputs("</text>\n", f);
}

static void draw(const struct mixing *mixing, FILE *f)
{
	const double scale = most(mixing) > 0 ? HIGH / most(mixing) : 0;
	const int step = (WIDTH - 2 * LEFT) / (mixing->nr ?: 1);
	const int fair = BASE - mixing->fair * scale;

	fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\">\n", WIDTH, HEIGHT);
	fputs("<style>text { font: 11px sans-serif } .part, .from { font-size: 9px }</style>\n", f);
	fputs("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n", f);
	draw_text(f, LEFT, 16, "title", "Directories in a batch of %.0f files, along the epoch",
		  mixing->files < MIXING_BATCH ? mixing->files : MIXING_BATCH);
	for (unsigned int i = 0; i < mixing->nr; i++) {
		const int x = LEFT + i * step, y = BASE - mixing->parts[i] * scale;

		fprintf(f, "<path d=\"M%d %dh%dV%dh-%dz\" fill=\"#9dbce0\"/>\n",
			x, y, step - 3, BASE, step - 3);
		draw_text(f, x, BASE - 4, "part", "%.1f", mixing->parts[i]);
		draw_text(f, x, BASE + 12, "from", "%.0f %%", i * 100 / mixing->nr);
	}
	fprintf(f, "<path d=\"M%d %dH%d\" stroke=\"#b03030\" stroke-dasharray=\"4 3\"/>\n",
		LEFT, fair, WIDTH - LEFT);
	draw_text(f, LEFT, fair - 4, "fair", "a true shuffle: %.1f", mixing->fair);
	draw_text(f, LEFT, HEIGHT - 12, "apart",
		  "Neighbours of the device are read %.3f of the epoch apart", mixing->apart);
	fputs("</svg>\n", f);
}

int mixing_draw(const struct mixing *mixing, const char *path)
{
	FILE *f = fopen(path, "we");
	int ret = 0;

	if (f) {
		draw(mixing, f);
		if (fflush(f) || ferror(f))
			ret = -errno;
		if (fclose(f) && !ret)
			ret = -errno;
	} else {
		ret = -errno;
	}
	if (ret)
		msg_error(path, "%s", strerror(-ret));
	return ret;
}
