/* SPDX-License-Identifier: GPL-2.0 */
/* Leases were declared elsewhere before 6.3, when they got this header. */
#include <linux/fs.h>
