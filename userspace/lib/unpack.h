/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The frame of a unit, unpacked by the libraries of the codecs.
 */
#ifndef DSFS_UNPACK_H
#define DSFS_UNPACK_H

#include "format.h"

/**
 * unpack_unit - unpack the frame of a unit
 * @codec: DSFS_CODEC_*
 * @frame: @len bytes; as many as @bytes: they are the unit
 * @unit: gets @bytes bytes
 *
 * Return: 0; -EUCLEAN if the frame is broken or of another length; -EOPNOTSUPP without the
 * codec; -ENOMEM.
 */
int unpack_unit(u8 codec, const u8 *frame, u32 len, u8 *unit, u32 bytes, struct dsfs_err *err);

#endif /* DSFS_UNPACK_H */
