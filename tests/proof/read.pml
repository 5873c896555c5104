/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A read of file data, from submission to the last access: a model of fs/submit.c (from
 * dsfs_read_end_io() to dsfs_read_send()) and fs/complete.c (dsfs_read_finish(), dsfs_read_end()).
 *
 * The device, the task that waits (or a hint, which does not), the worker, a fatal signal and
 * umount run beside each other.  What is shown, for each order in which they may:
 * - each folio is unlocked, and once;
 * - nothing of the inode or of the mount is used after umount, and nothing of the read after its
 *   last reference is gone;
 * - a task that waits is woken: it leaves, also when no signal comes.
 *
 * Stands for: fs/submit.c dsfs_read_work dsfs_read_is_short dsfs_read_end_io dsfs_read_is_ready
 * Stands for: fs/submit.c dsfs_read_sleep dsfs_read_try dsfs_read_wait dsfs_read_start dsfs_read_send
 * Stands for: fs/complete.c dsfs_read_finish dsfs_read_end
 * Sum: b6f9580a
 *
 * A sleep is as the kernel has it: queued, then the condition again, then asleep.  SYNC: a task
 * waits.
 */
#define FOLIOS	2

bool sent, pending, timer;		/* the bio; the delayed work, and whether it has a delay */
bool finished, queued, woken;		/* @finished; the task in the wait queue, and called */
bool killed, left, gone, freed;		/* a signal came; the task is away; the mount; the read */
byte refs, finishing, unlocked;

#define USES_READ	assert(!freed)
#define USES_MOUNT	assert(!gone)

inline put()
{
	USES_READ;
	atomic { refs--; freed = refs == 0 }
}

/* wake_up_var(): whoever is queued is called.  It needs an address, and no read. */
#define wake()	if :: queued -> woken = true :: else fi

/* dsfs_read_end(): nothing of the inode, nor of the mount */
inline end_read()
{
	/* dsfs_read_release() */
	USES_READ;
	if :: SYNC -> finished = true; wake() :: else fi;
	put()
}

/* dsfs_read_finish(): one at a time; the task that waits (@own) may have to give way in between */
inline finish(own)
{
	finishing++;
	assert(finishing == 1);
	assert(sent);
	gave = false;
	do
	:: unlocked < FOLIOS -> USES_READ; USES_MOUNT; unlocked++
	:: own && unlocked < FOLIOS -> gave = true; break
	:: unlocked == FOLIOS -> break
	od;
	USES_READ;
	finishing--;
	if :: gave -> pending = true :: else -> end_read() fi
}

/* delayed_work: whoever takes it from the queue runs it, to send the read or to finish it. */
active proctype worker()
{
	bool gave;

end:	do
	:: atomic { pending -> pending = false };
		USES_READ; USES_MOUNT;
		if :: !sent -> sent = true :: else -> finish(false); break fi
	:: freed -> break
	od
}

active proctype device()
{
	bool gave;

	sent;
	USES_READ; USES_MOUNT;
	if
	:: !SYNC -> finish(false)	/* dsfs_read_is_short(): in the interrupt */
	:: pending = true		/* dsfs_read_queue() */
	fi;
	if :: SYNC -> wake() :: else fi
}

/* dsfs_read_sleep() */
inline sleep(try)
{
	interrupted = false;
	do
	:: finished || (try && sent && pending) -> break
	:: else ->
		atomic { queued = true; woken = false };
		if
		:: finished || (try && sent && pending) -> queued = false; break
		:: else ->
			if
			:: woken
			:: killed -> queued = false; interrupted = true; break
			fi
		fi;
		queued = false
	od
}

active proctype task()
{
	bool interrupted, mine, gave;

	/* The task has the file open: its mount stays until it has left. */
	refs = 1 + SYNC;
	if
	:: sent = true
	:: pending = true		/* need_resched(): a worker sends it */
	fi;
	if
	:: SYNC ->
		sleep(true);
		if
		:: !interrupted ->
			/* cancel_delayed_work() */
			atomic { mine = pending; pending = false };
			if :: mine -> finish(true) :: else fi;
			sleep(false)
		:: else
		fi;
		put()
	:: else
	fi;
	left = true
}

active proctype signal() { if :: killed = true :: skip fi }

/* Umount waits for who has files open, for locked folios, and destroys the workqueue. */
active proctype umount()
{
	left && unlocked == FOLIOS;
	gone = true
}

ltl ends { <> (left && unlocked == FOLIOS && freed) }
