// SPDX-License-Identifier: GPL-2.0
/*
 * Small files that are read in the order of the image are neighbours in it: one request brings in
 * many of them.  The kernel reads ahead within a file of a mount, and never across two.
 *
 * Several readers that share an order come a little out of it, and mkfs.dsfs fills the rest of a
 * block with a later file that is less than a block.  So a run bears others in between, and what
 * was read ahead is kept until it lies RUN_BEHIND behind.
 */
#include "reader.h"

/* Reads in order before the first that is read ahead */
#define RUN_MIN		4
/* Others in between that a run bears, and what may become one */
#define RUN_OTHERS	8
#define RUN_OTHERS_MIN	2
/* A larger read is a request of its own. */
#define RUN_SMALL	(64 << 10)
/* Two that are further apart do not follow each other. */
#define RUN_GAP		(128 << 10)
#define RUN_BEHIND	(8 << 20)

/* Forget the run; what was read ahead for it is dropped. */
static void run_end(struct reader_run *run, struct reader_step *step)
{
	step->drop = run->kept;
	step->drop_len = run->ahead - run->kept;
	run->kept = 0;
	run->ahead = 0;
	run->count = 0;
	run->window = RUN_WINDOW;
}

static void run_extend(struct reader_run *run, struct reader_step *step)
{
	if (run->next + run->window / 2 <= run->ahead)
		return;
	step->ahead = run->ahead ?: run->next;
	step->ahead_len = run->window;
	if (!run->ahead)
		run->kept = step->ahead;
	run->ahead = step->ahead + run->window;
	if (run->window < run->most)
		run->window *= 2;
	if (run->next >= run->kept + RUN_BEHIND + RUN_WINDOW) {
		step->drop = run->kept;
		step->drop_len = run->next - RUN_BEHIND - run->kept;
		run->kept += step->drop_len;
	}
}

static void step_alone(struct reader_run *run, u64 pos, size_t len, bool here,
		       struct reader_step *step)
{
	const bool near = len <= RUN_SMALL && pos <= run->next + RUN_GAP &&
			  pos + RUN_GAP >= run->next;

	step->inside = len <= RUN_SMALL && pos >= run->kept && pos + len <= run->ahead;
	if (here && !step->inside)
		return;
	if (!near && !step->inside) {
		if (++run->others <= (run->ahead ? RUN_OTHERS : RUN_OTHERS_MIN) && len <= RUN_SMALL)
			return;
		run_end(run, step);
		run->next = pos + len;
	} else if (run->next < pos + len) {
		run->next = pos + len;
	}
	run->others = 0;
	if (near && ++run->count >= RUN_MIN)
		run_extend(run, step);
}

void run_init(struct reader_run *run, u64 most)
{
	*run = (struct reader_run){ .window = RUN_WINDOW, .most = most };
}

void run_read(struct reader_run *run, u64 pos, size_t len, bool here, struct reader_step *step)
{
	*step = (struct reader_step){ };
	if (__atomic_test_and_set(&run->busy, __ATOMIC_ACQUIRE))
		return;
	step_alone(run, pos, len, here, step);
	__atomic_clear(&run->busy, __ATOMIC_RELEASE);
}
