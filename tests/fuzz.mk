# SPDX-License-Identifier: GPL-2.0
#
# Targets of the fuzzers, each built twice from the same sources:
#   san   libFuzzer with ASan and UBSan
#   fast  libFuzzer alone, several times as fast: finds hangs, memory eaten and
#         the findings of the targets themselves; comparisons are not traced, as
#         the mutator knows what values are worth a try
# What is tested is instrumented; what tests it is not.

FUZZ		:= $(B)/tests/fuzz
comma		:= ,
FUZZ_TARGETS	:= lib fsck dump view text tar server
FUZZ_CC		:= clang
FUZZ_CFLAGS	:= $(DSFS_CFLAGS) -Imkfs -Itests/fuzz -Itests/hostile -Itests/corrupt -g -O2 -Wno-missing-prototypes
FUZZ_SAN	:= -fsanitize=undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

fuzz_image_SRC	:= $(filter-out userspace/lib/reader_file.c,$(LIB_SRC))
fuzz_lib_SRC	:= $(fuzz_image_SRC)
fuzz_fsck_SRC	:= $(fuzz_image_SRC) $(sort $(fsck_SRC) $(dsfs_SRC) $(change_SRC))
fuzz_dump_SRC	:= $(fuzz_image_SRC) $(sort $(dump_SRC) $(dsfs_SRC) $(change_SRC))
fuzz_view_SRC	:= $(fuzz_image_SRC) $(view_SRC)
fuzz_text_SRC	:= $(LIB_SRC) $(sort $(mkfs_SRC) $(change_SRC) $(fsck_SRC))
fuzz_tar_SRC	:= $(fuzz_text_SRC)
fuzz_server_SRC	:= $(http_SRC)
fuzz_own	:= tests/fuzz/memory.c tests/fuzz/input.c tests/fuzz/walk.c \
		   $(MUTATE_SRC)
fuzz_lib_OWN	:= tests/fuzz/lib.c $(fuzz_own)
fuzz_fsck_OWN	:= tests/fuzz/fsck.c $(fuzz_own)
fuzz_dump_OWN	:= tests/fuzz/dump.c $(fuzz_own)
fuzz_view_OWN	:= tests/fuzz/view.c $(fuzz_own)
fuzz_text_OWN	:= tests/fuzz/text.c tests/fuzz/packed.c
fuzz_server_OWN	:= tests/fuzz/server.c
fuzz_tar_OWN	:= tests/fuzz/tar.c tests/fuzz/tar_input.c tests/fuzz/packed.c
# Texts are not unpacked: the engine's own mutations and a dictionary do.
fuzz_mutator	= $(if $(filter text server,$(1)),,tests/fuzz/$(if $(filter tar,$(1)),tar_)mutator.c)

# A target runs a tool by its main(), command line and all, again and again: so
# memory.c and packed.c have functions in the place of those that a process calls once.
FUZZ_LDFLAGS	:= -Wl,--wrap=msg_init -Wl,--wrap=msg_flush_stdout
fuzz_ldflags	= $(if $(filter server,$(1)),,$(FUZZ_LDFLAGS)) $(if $(filter text tar,$(1)),-Wl$(comma)--wrap=signals_init)
$(FUZZ)/%/mkfs/main.o: MAIN := -Dmain=mkfs_main
$(FUZZ)/%/userspace/fsck/main.o: MAIN := -Dmain=fsck_main
$(FUZZ)/%/userspace/dump/main.o: MAIN := -Dmain=dump_main
$(FUZZ)/%/userspace/verb/main.o: MAIN := -Dmain=dsfs_main

# $(1) engine, $(2) flags of what is tested, $(3) of what tests, $(4) of the link
define fuzz_engine
$(FUZZ)/$(1)/tests/%.o: tests/%.c Makefile tests/fuzz.mk
	@mkdir -p $$(@D)
	$$(call tell,CC)$$(FUZZ_CC) $$(FUZZ_CFLAGS) $(3) -c -o $$@ $$<
$(FUZZ)/$(1)/%.o: %.c Makefile tests/fuzz.mk
	@mkdir -p $$(@D)
	$$(call tell,CC)$$(FUZZ_CC) $$(FUZZ_CFLAGS) $(2) $$(MAIN) -c -o $$@ $$<
$(foreach t,$(FUZZ_TARGETS),$(call fuzz_target,$(1),$(t),$(4)))
endef
define fuzz_target

$(FUZZ)/$(2)-$(1): $(patsubst %.c,$(FUZZ)/$(1)/%.o,$(fuzz_$(2)_SRC) $(fuzz_$(2)_OWN) tests/fuzz/engine.c $(call fuzz_mutator,$(2)))
	$$(call tell,LD)$$(FUZZ_CC) $(3) $(call fuzz_ldflags,$(2)) -o $$@ $$^ $$(LIBS) $$(mkfs_LIBS)
fuzz_OBJ += $(patsubst %.c,$(FUZZ)/$(1)/%.o,$(fuzz_$(2)_SRC) $(fuzz_$(2)_OWN))
endef
$(eval $(call fuzz_engine,san,-fsanitize=fuzzer-no-link$(comma)address $(FUZZ_SAN),-fsanitize=address,-fsanitize=fuzzer$(comma)address $(FUZZ_SAN)))
$(eval $(call fuzz_engine,fast,-fsanitize-coverage=inline-8bit-counters$(comma)pc-table,,-fsanitize=fuzzer))

$(FUZZ)/pack: $(addprefix tests/fuzz/,pack.c input.c) $(MUTATE_SRC) fs/format/super.c
	@mkdir -p $(@D)
	$(call tell,LD)$(CC) $(filter-out -MMD -MP,$(FUZZ_CFLAGS)) -o $@ $^ $(SUM_LIBS) -lxxhash

.PHONY: fuzzers
fuzzers: $(foreach t,$(FUZZ_TARGETS),$(addprefix $(FUZZ)/$(t)-,san fast)) $(FUZZ)/pack

-include $(patsubst %.o,%.d,$(sort $(fuzz_OBJ)))
