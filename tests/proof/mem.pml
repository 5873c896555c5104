/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A read of metadata, and a task that may leave it: a model of fs/bdev.c (dsfs_mem_put(),
 * dsfs_mem_end_io(), dsfs_mem_read()).
 *
 * The requests outlive a task that a fatal signal ends, its mount and, but for a reference, the
 * open device and the module.  What is shown, for each order of requests, signal, umount and
 * removal of the module:
 * - no completion comes to a device that is closed or to a module that is gone;
 * - the memory is freed, and once; by an RCU callback where the last request has ended;
 * - a task that waits is woken by the last request.
 *
 * Stands for: fs/bdev.c dsfs_mem_free dsfs_mem_put dsfs_mem_end_io dsfs_mem_read
 * Sum: 717cd99a
 */
#define REQUESTS	2

byte refs, modules, sent, done, frees;
bool queued, woken, killed, left, work, freed, closed, unloaded;

#define USES_MEM	assert(!freed)
#define USES_MODULE	assert(!unloaded)

/* dsfs_mem_free() */
inline release()
{
	USES_MODULE;
	closed = true;		/* fput(): the last one, as the mount is gone or has its own */
	freed = true;
	frees++;
	assert(frees == 1);
	modules--
}

active [REQUESTS] proctype request()
{
	byte now;

	atomic { sent > 0 -> sent-- };
	assert(!closed);	/* the device is below it */
	USES_MODULE; USES_MEM;
	atomic { refs--; now = refs };
	if
	:: now == 0 -> USES_MODULE; work = true
	:: now == 1 ->
		if			/* wake_up_var(): an address alone */
		:: queued -> woken = true
		:: else
		fi
	:: else
	fi;
	done++
}

active proctype callback()
{
	if
	:: work -> release()
	:: freed
	fi
}

active proctype task()
{
	byte i, now;

	modules = 1;		/* of the mount */
	refs = 1;
	do
	:: i < REQUESTS -> refs++; sent++; i++
	:: else -> break
	od;
	do
	:: refs == 1 -> break
	:: else ->
		queued = true;
		woken = false;
		if
		:: refs == 1 -> break
		:: else ->
			if
			:: woken
			:: killed -> break
			fi
		fi
	od;
	queued = false;
	/* dsfs_mem_put() */
	modules++;
	atomic { refs--; now = refs };
	if
	:: now == 0 -> release()
	:: else
	fi;
	left = true
}

active proctype signal()
{
	if
	:: killed = true
	:: skip
	fi
}

/* umount, then rmmod, which waits for the module's references */
active proctype rmmod()
{
	left;
	modules--;
	modules == 0;
	unloaded = true
}

ltl ends { <> (left && freed && unloaded && done == REQUESTS) }
