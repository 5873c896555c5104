# SPDX-License-Identifier: GPL-2.0
#
# Tests that need no kernel: of the shared code and of what mkfs plans, with
# sanitizers; and the maker of corrupt images.  Included by the top Makefile.

TB		:= $(B)/tests
SANITIZE	:= -fsanitize=address,undefined -fno-sanitize-recover=all \
		   -fno-omit-frame-pointer
# A table of cases leaves out the fields that a case does not need.
UNIT_CFLAGS	:= $(DSFS_CFLAGS) -Imkfs -Iuserspace/mounted -g -O1 $(SANITIZE) -Werror \
		   -Wno-missing-field-initializers
sanobjs		= $(patsubst %.c,$(TB)/san/%.o,$(1))
tap_SRC		:= tests/unit/tap.c tests/unit/main.c
unit_SRC	:= $(filter-out tests/unit/mkfs% tests/unit/dsfs% tests/unit/cache% tests/unit/http% tests/unit/pieces%,$(wildcard tests/unit/*.c)) \
		   $(filter-out %_kunit.c,$(wildcard fs/format/*.c))

$(TB)/san/%.o: %.c Makefile tests/unit.mk
	@mkdir -p $(@D)
	$(call tell,CC)$(CC) $(UNIT_CFLAGS) $(CPPFLAGS) -c -o $@ $<

$(TB)/unit: $(call sanobjs,$(unit_SRC))
	$(call tell,LD)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(SUM_LIBS)

# What plans, and what that calls: nothing that reads a source or an image.
unit_mkfs_PARTS	:= $(addprefix mkfs/,options/options options/added options/patterns data/content data/holes \
		   data/pack data/pack_large data/ring source/nfs4 source/trouble source/xattr) \
		   $(addprefix userspace/tree/,contents entry extents_list grow json_line tree xattr_set xsets) \
		   $(addprefix userspace/write/,device index names rows place plan)
unit_mkfs_SRC	:= $(wildcard tests/unit/mkfs*.c) $(tap_SRC) tests/unit/builder.c \
		   $(addsuffix .c,$(unit_mkfs_PARTS)) \
		   $(filter-out userspace/lib/% userspace/tool/imagemsg.c,$(LIB_SRC)) \
		   $(addprefix userspace/lib/,error.c utf8.c)

$(TB)/unit-mkfs: $(call sanobjs,$(unit_mkfs_SRC))
	$(call tell,LD)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(LIBS) -ljansson

# Orders to read files in
unit_dsfs_SRC	:= $(wildcard tests/unit/dsfs*.c) $(tap_SRC) userspace/mounted/shuffle.c

$(TB)/unit-dsfs: $(call sanobjs,$(unit_dsfs_SRC))
	$(call tell,LD)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(SUM_LIBS)

# The cache on the node
unit_cache_SRC	:= $(wildcard tests/unit/cache*.c) tests/unit/tap.c \
		   $(addprefix userspace/http/,hash.c sleep.c) $(wildcard userspace/lib/cache*.c) userspace/lib/reader_cache.c

$(TB)/unit-cache: $(call sanobjs,$(unit_cache_SRC))
	$(call tell,LD)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(SUM_LIBS) -lpthread

# Signatures of requests, addresses, what is read ahead, and how many requests at once
unit_http_SRC	:= $(wildcard tests/unit/http*.c) $(tap_SRC) \
		   $(addprefix userspace/http/,hash.c sigv4.c read.c range.c pieces.c sleep.c address.c flight.c)

$(TB)/unit-http: $(call sanobjs,$(unit_http_SRC))
	$(call tell,LD)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(SUM_LIBS) -lcurl -lpthread

-include $(patsubst %.o,%.d,$(call sanobjs,$(unit_SRC) $(unit_mkfs_SRC) $(unit_dsfs_SRC) \
	$(unit_cache_SRC) $(unit_http_SRC) $(unit_pieces_SRC)))

# Lists of pieces, by all of the library
unit_pieces_SRC	:= $(wildcard tests/unit/pieces*.c) $(tap_SRC) $(libdsfs_SRC)

$(TB)/unit-pieces: $(call sanobjs,$(unit_pieces_SRC))
	$(call tell,LD)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(SUM_LIBS) -lpthread

# libdsfs by its public interface, over images
libdsfs_test_SRC := $(filter-out %/threads.c,$(wildcard tests/libdsfs/*.c)) tests/unit/tap.c \
		   tests/hostile/files.c $(libdsfs_SRC) $(MUTATE_SRC)
libdsfs_threads_SRC := tests/libdsfs/threads.c tests/libdsfs/util.c tests/unit/tap.c \
		   tests/hostile/files.c $(libdsfs_SRC)
tsanobjs	= $(patsubst %.c,$(TB)/tsan/%.o,$(1))

# The cache by many threads
$(TB)/unit-cache-threads: $(call tsanobjs,$(unit_cache_SRC))
	$(call tell,LD)$(CC) -fsanitize=thread $(LDFLAGS) -o $@ $^ $(SUM_LIBS) -lpthread

$(call sanobjs,$(libdsfs_test_SRC)) $(call tsanobjs,$(libdsfs_threads_SRC)): \
	UNIT_CFLAGS += -Itests/unit -Itests/hostile -Itests/corrupt

$(TB)/tsan/%.o: %.c Makefile tests/unit.mk
	@mkdir -p $(@D)
	$(call tell,CC)$(CC) $(filter-out $(SANITIZE),$(UNIT_CFLAGS)) -fsanitize=thread -Wno-maybe-uninitialized $(CPPFLAGS) -c -o $@ $<

$(TB)/libdsfs-test: $(call sanobjs,$(libdsfs_test_SRC))
	$(call tell,LD)$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(SUM_LIBS) -lpthread

$(TB)/libdsfs-threads: $(call tsanobjs,$(libdsfs_threads_SRC))
	$(call tell,LD)$(CC) -fsanitize=thread $(LDFLAGS) -o $@ $^ $(SUM_LIBS) -lpthread

-include $(patsubst %.o,%.d,$(call sanobjs,$(libdsfs_test_SRC)) $(call tsanobjs,$(libdsfs_threads_SRC) \
	$(unit_cache_SRC)))

.PHONY: check-unit
check-unit:
	tests/unit/run

corrupt_OBJ	:= $(call objs,$(addprefix tests/corrupt/,mkcorrupt.c place.c rows.c fields.c sums.c) \
		   tests/hostile/files.c)

# Places are found by functions of one type.
$(corrupt_OBJ): DSFS_CFLAGS += -Wno-missing-field-initializers
# It makes its images in the guest, too.
$(TB)/mkcorrupt: $(corrupt_OBJ) $(LIB)
	@mkdir -p $(@D)
	$(call tell,LD)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(SUM_LIBS)

$(TB)/try: $(call objs,tests/corrupt/try.c)
	@mkdir -p $(@D)
	$(call tell,LD)$(CC) $(CFLAGS) $(LDFLAGS) -static -o $@ $^

-include $(corrupt_OBJ:.o=.d) $(TB)/../obj/tests/corrupt/try.d
