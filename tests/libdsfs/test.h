/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests of libdsfs over images that mkfs.dsfs made: what they share.
 */
#ifndef LIBDSFS_TEST_H
#define LIBDSFS_TEST_H

#include "dsfs.h"
#include "files.h"
#include "tap.h"

/** read_bytes - read a file, or exit; its @p is to be freed */
struct bytes read_bytes(const char *path);
/** copy_bytes - a copy to change, to be freed, too */
struct bytes copy_bytes(const struct bytes *b);

/** bytes_file - a descriptor of a file that holds @len bytes, or exit */
int bytes_file(const void *p, size_t len);

/** bytes_open - open such an image with dsfs_open_fd() */
int bytes_open(const void *p, size_t len, const struct dsfs_open_options *options,
	       struct dsfs_image **image, struct dsfs_error *error);

/** must_open - open an image that is known to be good, or exit */
struct dsfs_image *must_open(const char *path);

/** must_find - the inode of a path that is known to be there, or exit */
uint64_t must_find(struct dsfs_image *image, const char *path);

/** answer - whether a call failed with @want, and said a message with @text in it */
bool answer(ssize_t got, int want, const struct dsfs_error *error, const char *text);
#define FAILS(call, want, text, ...) do { \
	ssize_t got_; \
	error = (struct dsfs_error){ 0 }; \
	got_ = (call); \
	OK(answer(got_, want, &error, text), __VA_ARGS__); \
} while (0)

/**
 * visit - ask an image everything, whatever the answers
 *
 * Return: a number made of all that was read; @errors: calls that failed.
 */
u64 visit(struct dsfs_image *image, u64 *errors);

/* The groups; @tree is what @image was made of. */
void test_tree(const char *image, const char *tree);
void test_names(const char *image);
void test_open(const char *image);
void test_damage(const char *image);
void test_many(const char *image);
void test_inside(const char *image);
void test_hostile(const char *image);

#endif /* LIBDSFS_TEST_H */
