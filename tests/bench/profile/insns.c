// SPDX-License-Identifier: GPL-2.0
/*
 * insns - a plugin for QEMU's TCG that counts the instructions a guest runs
 * between two marks, by address.
 *
 * Sampling tells little about a path of some thousand instructions, and perf
 * has no counters in such a guest.  Here every instruction counts: blocks of
 * translated code are counted as they run, kernel, modules and programs alike.
 *
 * The marks are instructions that do nothing: nopl 0x53465344(%rax) starts,
 * nopl 0x53465345(%rax) stops.  They may pass many times; what lies between
 * adds up.  On exit the plugin writes the number of times, then one line an
 * address: address in hex, instructions.  For one virtual CPU.
 *
 *   -plugin insns.so,out=FILE
 *
 * Debian ships QEMU without qemu-plugin.h; below is the part of version 1 of
 * that interface that is used here.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum { CB_NO_REGS = 0, INLINE_ADD_U64 = 0 };

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   void (*cb)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, int op, void *ptr,
					      uint64_t imm);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    void (*cb)(unsigned int, void *), int flags,
					    void *data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*cb)(qemu_plugin_id_t, void *),
				    void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);

#define EXPORT	__attribute__((visibility("default")))

EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv);

#define BUCKETS	(1U << 16)

static const unsigned char start_mark[] = { 0x0f, 0x1f, 0x80, 0x44, 0x53, 0x46, 0x53 };
static const unsigned char stop_mark[] = { 0x0f, 0x1f, 0x80, 0x45, 0x53, 0x46, 0x53 };

/* Code that starts at an address, however often it is translated. */
struct block {
	uint64_t addr;
	uint64_t now;		/* since the last mark */
	uint64_t total;		/* between marks */
	struct block *next;
};

static struct block *blocks[BUCKETS];
static uint64_t times;
static FILE *out;

static struct block *get_block(uint64_t addr)
{
	struct block **bucket = &blocks[(addr ^ addr >> 16) % BUCKETS], *b;

	for (b = *bucket; b; b = b->next) {
		if (b->addr == addr)
			return b;
	}
	b = calloc(1, sizeof(*b));
	if (!b)
		abort();
	b->addr = addr;
	b->next = *bucket;
	*bucket = b;
	return b;
}

static void pass_mark(bool stop)
{
	struct block *b;
	unsigned int i;

	for (i = 0; i < BUCKETS; i++) {
		for (b = blocks[i]; b; b = b->next) {
			if (stop)
				b->total += b->now;
			b->now = 0;
		}
	}
	times += stop;
}

static void on_start(unsigned int cpu, void *data)
{
	(void)cpu;
	(void)data;
	pass_mark(false);
}

static void on_stop(unsigned int cpu, void *data)
{
	(void)cpu;
	(void)data;
	pass_mark(true);
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	const size_t n = qemu_plugin_tb_n_insns(tb);
	struct block *b = get_block(qemu_plugin_tb_vaddr(tb));
	size_t i;

	(void)id;
	qemu_plugin_register_vcpu_tb_exec_inline(tb, INLINE_ADD_U64, &b->now, n);
	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		const void *code = qemu_plugin_insn_data(insn);

		if (qemu_plugin_insn_size(insn) != sizeof(start_mark))
			continue;
		if (!memcmp(code, start_mark, sizeof(start_mark)))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_start, CB_NO_REGS, NULL);
		if (!memcmp(code, stop_mark, sizeof(stop_mark)))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_stop, CB_NO_REGS, NULL);
	}
}

static void at_end(qemu_plugin_id_t id, void *data)
{
	struct block *b;
	unsigned int i;

	(void)id;
	(void)data;
	fprintf(out, "times %" PRIu64 "\n", times);
	for (i = 0; i < BUCKETS; i++) {
		for (b = blocks[i]; b; b = b->next) {
			if (b->total)
				fprintf(out, "%" PRIx64 " %" PRIu64 "\n", b->addr, b->total);
		}
	}
	fclose(out);
}

int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
	(void)info;
	if (argc == 1 && !strncmp(argv[0], "out=", 4))
		out = fopen(argv[0] + 4, "w");
	if (!out) {
		fprintf(stderr, "insns: out=FILE: missing, or cannot be written\n");
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_atexit_cb(id, at_end, NULL);
	return 0;
}
