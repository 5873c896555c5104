# SPDX-License-Identifier: GPL-2.0
#
# Images made hostile, and what is done with them.  Included by the top Makefile.

TB		:= $(B)/tests
# The mutator as a library: the fuzzers use it too.
MUTATE_SRC	:= tests/hostile/mutate.c tests/hostile/layout.c tests/hostile/rows.c \
		   tests/corrupt/fields.c tests/corrupt/sums.c
hostile_OBJ	:= $(call objs,$(MUTATE_SRC) $(wildcard tests/hostile/*.c) tests/fuzz/input.c)

$(hostile_OBJ): DSFS_CFLAGS += -Itests/corrupt -Itests/fuzz -Itests/hostile

$(TB)/mutate: $(call objs,tests/hostile/mutate_main.c tests/hostile/files.c $(MUTATE_SRC)) $(LIB)
	@mkdir -p $(@D)
	$(call tell,LD)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lisal -lxxhash

-include $(hostile_OBJ:.o=.d)

# It runs in guests.
$(TB)/hostile-images: $(call objs,$(addprefix tests/hostile/,images.c trial.c walk.c files.c) \
		     tests/fuzz/input.c $(MUTATE_SRC)) $(LIB)
	@mkdir -p $(@D)
	$(call tell,LD)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lisal -lxxhash
