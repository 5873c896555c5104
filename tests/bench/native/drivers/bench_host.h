/* SPDX-License-Identifier: GPL-2.0 */
/* Between the benchmark's drivers and the host. */
#ifndef BENCH_HOST_H
#define BENCH_HOST_H

void *bench_host_map(const char *path, unsigned long long *size);
unsigned long long bench_host_cpu(void);

/* By the disks, since boot */
unsigned long long bench_disk_copied(void);
unsigned long long bench_disk_requests(void);

#endif
