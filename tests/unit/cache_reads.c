// SPDX-License-Identifier: GPL-2.0
/* Requests to the origin: one for each range that is not cached, none for others. */

#include "unit_cache.h"

#define IMAGE	(8 * MIB + 1000)	/* the last block is a part */

static void test_one_sample(void)
{
	struct dsfs_reader *r;
	struct origin o;

	origin_init(&o, IMAGE, "one");
	r = must_cache(&o, LARGE, false);
	OK(!get(r, &o, 5 * 512, SAMPLE, 0), "a cold sample is right");
	OK(o.requests == 1, "and one request");
	OK(o.pos == 0 && o.len == 28 * 4096,
	   "of whole blocks and no more: %llu +%zu", o.pos, o.len);
	OK(!get(r, &o, 5 * 512, SAMPLE, 0) && o.requests == 1, "again: no request");
	OK(!get(r, &o, 5 * 512, SAMPLE, READ_CHECKED) && o.requests == 1, "nor for who checks");
	OK(!get(r, &o, 700, 1, 0) && o.requests == 1, "nor for a byte of it");
	OK(!get(r, &o, 28 * 4096, 4096, 0) && o.requests == 2,
	   "the block behind it was not asked for");
	OK(!get(r, &o, IMAGE - 5000, 5000, 0), "the end of the image is right");
	OK(o.pos + o.len == IMAGE, "and nothing behind it is asked for");
	OK(!get(r, &o, IMAGE - 1, 1, 0) && o.requests == 3, "again: no request");
	OK(get(r, &o, IMAGE - 1, 2, 0) == -EIO && get(r, &o, IMAGE + 1, 1, 0) == -EIO,
	   "behind the end: -EIO");
	close_reader(r);
	r = must_cache(&o, LARGE, false);
	OK(!get(r, &o, 5 * 512, SAMPLE, 0) && !get(r, &o, IMAGE - 5000, 5000, READ_CHECKED) &&
	   !o.requests, "by the next process: no request");
	close_reader(r);
}

static void test_parts(void)
{
	struct dsfs_reader *r;
	struct origin o;

	origin_init(&o, IMAGE, "parts");
	r = must_cache(&o, LARGE, false);
	get(r, &o, MIB, SAMPLE, 0);
	OK(!get(r, &o, MIB + SAMPLE, SAMPLE, 0), "the next sample is right");
	OK(o.requests == 2 && o.pos == MIB + 27 * 4096, "without the block that both have");
	get(r, &o, 4 * MIB, 4096, 0);
	get(r, &o, 4 * MIB + 65536, 4096, 0);
	o.requests = 0;
	o.asked = 0;
	OK(!get(r, &o, 4 * MIB - 4096, 65536 + 3 * 4096, 0), "with parts that are there: right");
	OK(o.requests == 1 && o.asked == 65536 + 3 * 4096, "one request");
	get(r, &o, 6 * MIB + 32768, 4096, 0);
	o.requests = 0;
	o.asked = 0;
	OK(!get(r, &o, 6 * MIB, 32768 + 4096, READ_CHECKED) && o.requests == 1 && o.asked == 32768,
	   "what is there at the end is not asked for");
	close_reader(r);
}

static void test_large(void)
{
	struct dsfs_reader *r;
	struct origin o;

	origin_init(&o, IMAGE, "large");
	r = must_cache(&o, LARGE, false);
	OK(!get(r, &o, 0, IMAGE, 0) && o.requests == 1, "all at once: one request");
	OK(!get(r, &o, 0, IMAGE, 0) && o.requests == 1, "again: none");
	OK(!get(r, &o, 1, IMAGE - 1, READ_CHECKED) && o.requests == 1, "for who checks: none");
	close_reader(r);
}

/* More buffers than a call takes */
static void test_buffers(void)
{
	u8 *p = malloc(300 * 1000);
	struct iovec iov[300];
	struct dsfs_reader *r;
	struct origin o;

	if (!p)
		exit(1);
	for (int i = 0; i < 300; i++)
		iov[i] = (struct iovec){ p + 1000 * i, 1000 };
	origin_init(&o, IMAGE, "buffers");
	r = must_cache(&o, LARGE, false);
	for (int i = 0; i < 2; i++)
		OK(!r->ops->read(r, iov, 300, 300 * 1000, 777, 0) &&
		   is_right(&o, p, 300 * 1000, 777), "300 buffers are right");
	close_reader(r);
	free(p);
}

static void test_ahead(void)
{
	struct dsfs_reader *r;
	struct origin o;

	origin_init(&o, IMAGE, "ahead");
	r = must_cache(&o, LARGE, false);
	r->ops->ahead(r, MIB + 512, SAMPLE);
	OK(o.ahead_pos == MIB && o.ahead_len == 27 * 4096,
	   "ahead: the blocks that a read asks for");
	OK(!r->ops->has(r, MIB), "nothing is there by that");
	get(r, &o, MIB + 512, SAMPLE, 0);
	OK(o.pos == o.ahead_pos && o.len == o.ahead_len, "a read asks for the same");
	OK(r->ops->has(r, MIB) && r->ops->has(r, MIB + SAMPLE), "then it is there");
	o.ahead_len = 0;
	r->ops->ahead(r, MIB + 512, SAMPLE);
	OK(!o.ahead_len, "ahead: nothing of what is there");
	r->ops->ahead(r, MIB, 2 * MIB);
	OK(o.ahead_pos == MIB + 27 * 4096 && o.ahead_len == 2 * MIB - 27 * 4096,
	   "ahead: what is missing of a range");
	OK(!r->ops->has(r, IMAGE), "behind the end there is nothing");
	close_reader(r);
}

static void test_again(void)
{
	struct dsfs_reader *r;
	struct origin o;

	origin_init(&o, IMAGE, "again");
	r = must_cache(&o, LARGE, false);
	o.wrong = 1;
	OK(get(r, &o, MIB, SAMPLE, READ_CHECKED) == -EBADMSG, "wrong bytes of the origin are kept");
	OK(get(r, &o, MIB, SAMPLE, READ_CHECKED) == -EBADMSG && o.requests == 1,
	   "as long as nobody objects");
	OK(!get(r, &o, MIB, SAMPLE, READ_CHECKED | READ_AGAIN), "asked again, it is right");
	OK(o.requests == 2 && o.flags == READ_AGAIN, "by the origin, which is told so");
	OK(!get(r, &o, MIB, SAMPLE, 0) && o.requests == 2,
	   "and what is kept is right from then on");
	o.error = -EREMOTEIO;
	OK(get(r, &o, 4 * MIB, 1, 0) == -EREMOTEIO, "an error of the origin is passed on");
	OK(get(r, &o, MIB, SAMPLE, READ_AGAIN) == -EREMOTEIO, "also when it is asked again");
	o.error = 0;
	OK(!get(r, &o, 4 * MIB, 1, 0) && !get(r, &o, MIB, SAMPLE, 0), "and nothing was kept of it");
	close_reader(r);
}

static void test_images(void)
{
	struct dsfs_reader *r, *s, *t;
	struct origin a, b, shorter;

	origin_init(&a, IMAGE, "https://host/a \"1\"");
	origin_init(&b, IMAGE, "https://host/a \"2\"");
	origin_init(&shorter, 2 * MIB, "https://host/a \"1\"");
	shorter.salt++;
	r = must_cache(&a, LARGE, false);
	s = must_cache(&b, LARGE, false);
	OK(!get(r, &a, 512, SAMPLE, 0) && !get(s, &b, 512, SAMPLE, 0) && b.requests == 1,
	   "another version is another image");
	t = must_cache(&shorter, LARGE, false);
	OK(!get(t, &shorter, 512, SAMPLE, 0),
	   "so is one of another length that claims to be the same");
	close_reader(t);
	close_reader(s);
	close_reader(r);
	origin_init(&a, IMAGE, NULL);
	r = must_cache(&a, LARGE, false);
	OK(r == &a.r && r->warning, "what nobody vouches for is not kept, which is said");
}

TESTS(reads)
{
	work_begin();
	test_one_sample();
	test_parts();
	test_large();
	test_buffers();
	test_ahead();
	test_again();
	test_images();
	work_end();
}
