// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/bench: patterns of reading, run within the kernel.
 *
 * Why in there: a system call of User Mode Linux costs several microseconds of the host,
 * ten times that of a real kernel, and a copy to a program goes through page tables in
 * software.  Both would hide what is to be measured.  Here a read copies to a buffer
 * of the kernel, which is as warm as that of a loader.
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/crc32c.h>
#include <linux/fadvise.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kthread.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/swap.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>
#include <kern_util.h>
#include "bench.h"
#include "bench_host.h"

#define BUF_ORDER	8
#define BUF_SIZE	(PAGE_SIZE << BUF_ORDER)

/* Progress of the readers, for the prefetch task */
static atomic_t bench_taken;
static DECLARE_WAIT_QUEUE_HEAD(bench_room);

struct bench_reader {
	const struct bench_req *req;
	const char *names;
	struct mm_struct *mm;
	unsigned int index;
	char *buf;
	struct file *pack;
	u64 files, bytes, errors, sum;
	struct completion done;
};

/* Add bytes to the checksum of a file; those of all files are added up. */
static void bench_sum(struct bench_reader *r, u32 *crc, const void *buf, size_t len)
{
	if (r->req->flags & BENCH_CHECK)
		*crc = crc32c(*crc, buf, len);
}

/* Read @want bytes.  Return: number of bytes that were read. */
static size_t bench_read(struct bench_reader *r, struct file *file, loff_t *pos, size_t want,
			 u32 *crc)
{
	ssize_t got = kernel_read(file, r->buf, min_t(size_t, want, BUF_SIZE), pos);

	if (got < 0) {
		r->errors++;
		return 0;
	}
	bench_sum(r, crc, r->buf, got);
	return got;
}

static u64 bench_whole(struct bench_reader *r, struct file *file, u64 size, u32 *crc)
{
	loff_t pos = 0;

	while (bench_read(r, file, &pos, size + 1 - pos, crc))
		;
	return pos;
}

static u64 bench_pil(struct bench_reader *r, struct file *file, u64 size, u32 *crc)
{
	size_t want = 4096;
	loff_t pos = 0;

	while (bench_read(r, file, &pos, want, crc))
		want = pos == 4096 ? 61440 : 65536;
	return pos;
}

static u64 bench_imread(struct bench_reader *r, struct file *file, u64 size, u32 *crc)
{
	loff_t pos = 0;
	u32 unused = 0;

	bench_read(r, file, &pos, 32, &unused);
	pos = 0;
	while (bench_read(r, file, &pos, 4096, crc))
		;
	return pos;
}

static u64 bench_seq(struct bench_reader *r, struct file *file, u64 size, u32 *crc)
{
	loff_t pos = 0;

	while (pos < size && bench_read(r, file, &pos, r->req->piece, crc))
		;
	return pos;
}

/* The page at @addr as the processor would find it, or after a fault. */
static const char *bench_touch(unsigned long addr)
{
	pte_t *pte = virt_to_pte(current->mm, addr);
	int code;

	if (!pte || !pte_present(*pte)) {
		if (handle_page_fault(addr, 0, 0, 1, &code))
			return NULL;
		pte = virt_to_pte(current->mm, addr);
	}
	return page_address(pte_page(*pte));
}

static u64 bench_mmap(struct bench_reader *r, struct file *file, u64 size, u32 *crc)
{
	unsigned long addr;
	const char *page;
	u64 pos;

	if (!size)
		return 0;
	addr = vm_mmap(file, 0, size, PROT_READ, MAP_PRIVATE, 0);
	if (IS_ERR_VALUE(addr))
		return 0;
	for (pos = 0; pos < size; pos += PAGE_SIZE) {
		page = bench_touch(addr + pos);
		if (!page)
			break;
		(void)READ_ONCE(*page);
		bench_sum(r, crc, page, min_t(u64, PAGE_SIZE, size - pos));
	}
	vm_munmap(addr, size);
	return min(pos, size);
}

typedef u64 (*bench_read_fn)(struct bench_reader *r, struct file *file, u64 size, u32 *crc);

/* Patterns; each returns the number of bytes that it has read. */
static const bench_read_fn bench_patterns[] = {
	[BENCH_WHOLE]	= bench_whole,
	[BENCH_PIL]	= bench_pil,
	[BENCH_IMREAD]	= bench_imread,
	[BENCH_MMAP]	= bench_mmap,
	[BENCH_SEQ]	= bench_seq,
};

static void bench_file(struct bench_reader *r, const char *name)
{
	bench_read_fn read = bench_patterns[r->req->pattern];
	struct file *file = filp_open(name, O_RDONLY | O_LARGEFILE, 0);
	struct kstat st;
	u32 crc = 0;
	u64 got;

	if (IS_ERR(file)) {
		r->errors++;
		return;
	}
	if (vfs_getattr(&file->f_path, &st, STATX_BASIC_STATS, 0))
		r->errors++;
	got = read(r, file, st.size, &crc);
	if (got != st.size)
		r->errors++;
	r->bytes += got;
	r->sum += crc;
	__fput_sync(file);
}

/* Read a part of a file that stays open, without readahead of bytes that are not needed. */
static struct file *bench_part(struct bench_reader *r, const char *name, loff_t *pos,
			       u64 *len)
{
	const char *at = strrchr(name, '@');
	char *path;

	if (!at || sscanf(at, "@%lld+%llu", pos, len) != 2 || *len > BUF_SIZE)
		return NULL;
	if (r->pack)
		return r->pack;
	path = kstrndup(name, at - name, GFP_KERNEL);
	if (!path)
		return NULL;
	r->pack = filp_open(path, O_RDONLY | O_LARGEFILE, 0);
	kfree(path);
	if (IS_ERR(r->pack))
		r->pack = NULL;
	else
		vfs_fadvise(r->pack, 0, 0, POSIX_FADV_RANDOM);
	return r->pack;
}

static void bench_pack(struct bench_reader *r, const char *name)
{
	u64 len = 0, got = 0;
	loff_t pos = 0;
	u32 crc = 0;
	struct file *pack = bench_part(r, name, &pos, &len);

	if (pack)
		got = bench_read(r, pack, &pos, len, &crc);
	if (!pack || got != len)
		r->errors++;
	r->bytes += got;
	r->sum += crc;
}

static void bench_need(struct bench_reader *r, const char *name)
{
	struct file *file;
	loff_t pos = 0;
	u64 len = 0;

	if (r->req->pattern == BENCH_PACK) {
		file = bench_part(r, name, &pos, &len);
		if (file)
			vfs_fadvise(file, pos, len, POSIX_FADV_WILLNEED);
		return;
	}
	file = filp_open(name, O_RDONLY | O_LARGEFILE, 0);
	if (IS_ERR(file))
		return;
	vfs_fadvise(file, 0, 0, POSIX_FADV_WILLNEED);
	__fput_sync(file);
}

/*
 * Prefetch, when a quarter of the window is free: so tasks do not wake each other for
 * each file.
 */
static int bench_ahead(void *data)
{
	struct bench_reader *r = data;
	const char *name = r->names, *end = r->names + r->req->names_len;
	int next = 0, until, room = r->req->ahead - r->req->ahead / 4;

	while (name < end) {
		wait_event(bench_room, next <= atomic_read(&bench_taken) + room);
		until = atomic_read(&bench_taken) + r->req->ahead;
		for (; next < until && name < end; next++, name += strlen(name) + 1)
			bench_need(r, name);
	}
	if (r->pack)
		__fput_sync(r->pack);
	complete(&r->done);
	return 0;
}

/* Note that a reader begins with the next file. */
static void bench_take(struct bench_reader *r)
{
	int taken = atomic_inc_return(&bench_taken);

	if (r->req->ahead && taken % (r->req->ahead / 4 + 1) == 0)
		wake_up(&bench_room);
}

/* Run a reader: every so many files of the list are its own. */
static int bench_reader(void *data)
{
	struct bench_reader *r = data;
	const struct bench_req *req = r->req;
	const char *name, *end = r->names + req->names_len;
	unsigned int turn = 0;

	if (r->mm)
		kthread_use_mm(r->mm);
	for (name = r->names; name < end; name += strlen(name) + 1) {
		if (turn++ % req->readers != r->index)
			continue;
		bench_take(r);
		if (req->pattern == BENCH_PACK)
			bench_pack(r, name);
		else
			bench_file(r, name);
		r->files++;
		cond_resched();
	}
	if (r->mm)
		kthread_unuse_mm(r->mm);
	if (r->pack)
		__fput_sync(r->pack);
	complete(&r->done);
	return 0;
}

static void bench_clocks(struct bench_req *req)
{
	req->cpu = bench_host_cpu();
	req->copy = bench_disk_copied();
	req->requests = bench_disk_requests();
	req->wall = ktime_get_ns();
}

static void bench_start_task(int (*run)(void *), struct bench_reader *r)
{
	struct task_struct *task = kthread_run(run, r, "bench/%u", r->index);

	if (IS_ERR(task)) {
		r->errors++;
		complete(&r->done);
	}
}

/* Run all readers: the first one in the caller, others as threads, and the prefetch task last. */
static int bench_start(struct bench_reader *r, struct bench_req *req)
{
	unsigned int i;

	atomic_set(&bench_taken, 0);
	if (req->ahead)
		bench_start_task(bench_ahead, &r[req->readers]);
	if (req->readers == 1)
		return bench_reader(r);
	for (i = 0; i < req->readers; i++) {
		r[i].mm = current->mm;
		bench_start_task(bench_reader, &r[i]);
	}
	return 0;
}

static void bench_measure(struct bench_reader *r, struct bench_req *req)
{
	struct bench_req before = *req;
	unsigned int i;

	bench_clocks(&before);
	bench_start(r, req);
	for (i = 0; i < req->readers + !!req->ahead; i++)
		wait_for_completion(&r[i].done);
	bench_clocks(req);
	req->wall -= before.wall;
	req->cpu -= before.cpu;
	req->copy -= before.copy;
	req->requests -= before.requests;
	for (i = 0; i < req->readers; i++) {
		req->files += r[i].files;
		req->bytes += r[i].bytes;
		req->errors += r[i].errors;
		req->sum += r[i].sum;
	}
}

static int bench_prepare(struct bench_reader *r, struct bench_req *req, const char *names)
{
	unsigned int i;

	for (i = 0; i < req->readers + !!req->ahead; i++) {
		r[i].req = req;
		r[i].names = names;
		r[i].index = i;
		init_completion(&r[i].done);
		r[i].buf = (char *)__get_free_pages(GFP_KERNEL, BUF_ORDER);
		if (!r[i].buf)
			return -ENOMEM;
		memset(r[i].buf, 1, BUF_SIZE);
	}
	return 0;
}

static int bench_run(struct bench_req *req)
{
	struct bench_reader *r;
	unsigned int i;
	char *names;
	int err;

	if (req->pattern > BENCH_PACK || !req->readers || req->readers > BENCH_READERS ||
	    !req->piece || req->piece > BUF_SIZE)
		return -EINVAL;
	names = vmemdup_user(u64_to_user_ptr(req->names), req->names_len);
	if (IS_ERR(names))
		return PTR_ERR(names);
	r = kcalloc(req->readers + 1, sizeof(*r), GFP_KERNEL);
	err = r ? bench_prepare(r, req, names) : -ENOMEM;
	if (!err)
		bench_measure(r, req);
	for (i = 0; r && i <= req->readers; i++)
		free_pages((unsigned long)r[i].buf, BUF_ORDER);
	kfree(r);
	kvfree(names);
	return err;
}

/* wait for inodes and dentries, which are freed after a grace period, and for pages in batches */
static void bench_settle(void)
{
	lru_add_drain_all();
	rcu_barrier();
}

static long bench_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	void __user *user = (void __user *)arg;
	struct bench_req req = {};
	int err;

	switch (cmd) {
	case BENCH_RUN:
		if (copy_from_user(&req, user, sizeof(req)))
			return -EFAULT;
		err = bench_run(&req);
		if (err)
			return err;
		break;
	case BENCH_CLOCKS:
		bench_clocks(&req);
		break;
	case BENCH_SETTLE:
		bench_settle();
		return 0;
	default:
		return -ENOTTY;
	}
	return copy_to_user(user, &req, sizeof(req)) ? -EFAULT : 0;
}

static const struct file_operations bench_fops = {
	.owner		= THIS_MODULE,
	.unlocked_ioctl	= bench_ioctl,
};

static struct miscdevice bench_misc = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "bench",
	.fops	= &bench_fops,
};

builtin_misc_device(bench_misc);
