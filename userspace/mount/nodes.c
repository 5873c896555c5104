// SPDX-License-Identifier: GPL-2.0
/*
 * Where the metadata of a mount lies on a machine with several NUMA nodes.
 *
 * The kernel allocates it on behalf of the task that mounts, by the NUMA policy of that.
 * Lookups come from all nodes, and gigabytes on one node would leave it short of memory, so
 * the memory is spread.  A policy that the caller set, such as by numactl(8), stays.
 */
#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mount.h"

#define BITS		(8 * sizeof(unsigned long))

/* As many as a kernel can be built for */
#define NODES		1024

/* Nodes without processors have slow memory, behind CXL or on an accelerator. */
static void add_nodes_with_cpus(unsigned long *nodes)
{
	char list[4096], *p = list;
	FILE *f = fopen("/sys/devices/system/node/has_cpu", "re");
	unsigned long node, last;

	if (!f)
		return;
	if (!fgets(list, sizeof(list), f))
		*list = '\0';
	fclose(f);
	/* such as "0-3,8" */
	while (*p >= '0' && *p <= '9') {
		node = strtoul(p, &p, 10);
		last = *p == '-' ? strtoul(p + 1, &p, 10) : node;
		for (; node <= last && node < NODES; node++)
			nodes[node / BITS] |= 1UL << node % BITS;
		p += *p == ',';
	}
}

void nodes_spread(void)
{
	unsigned long allowed[NODES / BITS] = { 0 }, nodes[NODES / BITS] = { 0 };
	int policy = 0;
	size_t i;

	if (syscall(SYS_get_mempolicy, &policy, NULL, 0UL, NULL, 0UL) ||
	    policy != MPOL_DEFAULT ||
	    syscall(SYS_get_mempolicy, NULL, allowed, (unsigned long)NODES, NULL,
		    (unsigned long)MPOL_F_MEMS_ALLOWED))
		return;
	add_nodes_with_cpus(nodes);
	for (i = 0; i < NODES / BITS; i++)
		nodes[i] &= allowed[i];
	/* fails without harm: for no nodes, or in a sandbox */
	syscall(SYS_set_mempolicy, MPOL_INTERLEAVE, nodes, (unsigned long)NODES + 1);
}
