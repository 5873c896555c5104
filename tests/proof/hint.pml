/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hints, and the bytes that their users have in flight: a model of fs/read.c (dsfs_hint_charge()),
 * fs/ahead.c, and the end of a read that a hint has sent.
 *
 * Two hints, of USERS users, take what they may read, send as much of it as is not cached, and
 * give back the rest.  The device or a worker gives back what was read.  A task waits for a folio
 * of that, and umount for all.  What is shown, for each order in which they may:
 * - each hint and its reads give back what it has taken: nothing is in flight at the end;
 * - what was granted to a user is never above the limit;
 * - nothing of the mount is used after umount;
 * - who waits for a folio of a hint is woken, and a hint waits for nobody.
 *
 * Stands for: fs/read.c dsfs_hint_mib dsfs_hint_add dsfs_hint_charge
 * Stands for: fs/ahead.c dsfs_range_piece dsfs_range_read dsfs_range_hint
 * Stands for: fs/whole.c dsfs_whole_hint
 * Stands for: fs/complete.c dsfs_read_finish
 * Sum: e1943f08
 *
 * Bytes are halves of a MiB, as the sum of all is rounded to whole ones.
 */
#define HINTS	2
#define LIMIT	6
#define USES_MOUNT	assert(!gone)
#define MIB(bytes)	(((bytes) + 1) / 2)

short own[2], hinted;		/* sbi->hinted_by; sbi->hinted, in MiB */
byte granted[2], left, locked;	/* tasks that have left; folios that hints have locked */
bool queued, woken, gone;	/* the reader, in the wait queue of a folio, and called */
chan device = [HINTS] of { byte, byte };	/* what was sent: user, bytes */

/* dsfs_hint_add(): two atomic operations */
inline add(u, change)
{
	atomic { USES_MOUNT; own[u] = own[u] + (change); now = own[u]; assert(now >= 0) };
	atomic { USES_MOUNT; hinted = hinted + MIB(now) - MIB(now - (change)) }
}

/* dsfs_read_finish(), in an interrupt or in a worker */
active proctype completion()
{
	byte user, bytes;
	short now;

end:	do
	:: atomic { device ? user, bytes -> granted[user] = granted[user] - bytes };
		add(user, -bytes);
		/* The last folio that is unlocked is the last that umount waits for. */
		atomic { USES_MOUNT; locked--; if :: queued -> woken = true :: else fi }
	od
}

/* dsfs_range_hint(); of a whole file there is one size, and one read. */
active [HINTS] proctype hint()
{
	byte user = _pid % USERS, bytes = 4, sent;
	short now;

	do
	:: bytes ->
		/* dsfs_hint_charge() */
		add(user, bytes);
		if
		:: atomic { 2 * now + 2 * (hinted > MIB(now) -> hinted - MIB(now) : 0) <= 2 * LIMIT ->
			granted[user] = granted[user] + bytes;
			assert(granted[user] <= LIMIT) };
			break
		:: else -> add(user, -bytes); bytes = bytes / 2
		fi
	:: else -> goto dropped
	od;
	/* dsfs_range_read(), up to an error, or the end of what is not cached */
	if
	:: atomic { locked++; sent = 1; device ! user, sent }
	:: atomic { locked++; sent = bytes; device ! user, sent }
	:: true
	fi;
	atomic { granted[user] = granted[user] - (bytes - sent) };
	add(user, sent - bytes);
dropped:
	left++
}

/* A task that has the file open, and needs a folio that a hint may have locked */
active proctype reader()
{
	do
	:: !locked -> break
	:: else ->
		atomic { queued = true; woken = false };
		if :: !locked -> break :: else -> woken fi
	od;
	left++
}

/* Umount waits for who has files open, for locked folios, and for the work that is queued. */
active proctype umount()
{
	atomic { left == HINTS + 1 && !locked -> gone = true }
}

ltl ends { <> (gone && !own[0] && !own[1] && !hinted) }
