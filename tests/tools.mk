# SPDX-License-Identifier: GPL-2.0
#
# Programs of the tests: generators of trees for the host, and what runs in the
# guests, linked statically since a guest is an initramfs with busybox.  To be
# included by the top Makefile.

TB		:= $(B)/tests
TEST_TOOLS	:= $(addprefix $(TB)/,mktree mkset listing)
GUEST_TOOLS	:= $(addprefix $(TB)/,reads dirs attrs stacks requests epochs access trymount failnth \
		   pressure bench_stat lookups handles yields beside)

.PHONY: test-tools
test-tools: $(TEST_TOOLS) $(GUEST_TOOLS)

$(TB)/mktree $(TB)/mkset: $(TB)/%: tests/tools/%
	@mkdir -p $(@D)
	$(call tell,CP)install $< $@

# What needs the project's libraries goes into a guest by run --exe.
$(TB)/listing: $(call objs,tests/tools/listing.c userspace/walk/listing.c userspace/walk/paths.c) $(LIB)
	@mkdir -p $(@D)
	$(call tell,LD)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

# fsck.dsfs that takes files in many small shares
$(TB)/fsck-shares: $(call objs,$(filter-out userspace/fsck/refs.c,$(fsck_SRC)) \
		tests/corrupt/shares.c) $(LIB)
	@mkdir -p $(@D)
	$(call tell,LD)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

# To be preloaded: the N-th call of a kind fails.
$(TB)/faults.so: tests/robust/faults.c
	@mkdir -p $(@D)
	$(call tell,LD)$(CC) -O2 -g $(WARN) -Wno-missing-prototypes -shared -fPIC -o $@ $< -ldl

# A program is made of NAME.c and all NAME_*.c.
define guest_rule
$(TB)/$(1): $$(call objs,$$(wildcard tests/guest/$(1).c tests/guest/$(1)_*.c) tests/guest/lib.c \
		tests/guest/ring.c tests/guest/ways.c)
	@mkdir -p $$(@D)
	$$(call tell,LD)$$(CC) $$(CFLAGS) $$(LDFLAGS) -static -o $$@ $$^ -lpthread
endef
$(foreach t,$(notdir $(GUEST_TOOLS)),$(eval $(call guest_rule,$(t))))

TEST_OBJS	:= $(call objs,$(wildcard tests/tools/*.c tests/guest/*.c) tests/corrupt/shares.c)
-include $(TEST_OBJS:.o=.d)
