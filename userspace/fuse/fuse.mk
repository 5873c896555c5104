# SPDX-License-Identifier: GPL-2.0
#
# dsfs-fuse, where there is libfuse 3; the other tools do without.  Included by the top
# Makefile.

fuse_SRC	:= $(wildcard userspace/fuse/*.c)

# pkg-config speaks for this machine, which need not be the one that CC compiles for.
ifndef FUSE3
FUSE3		:= $(shell pkg-config --atleast-version=3.12 fuse3 2>/dev/null && \
		     echo 'int main(void) { return 0; }' | \
		     $(CC) $(CFLAGS) $(LDFLAGS) -x c -o /dev/null - -lfuse3 2>/dev/null && echo yes)
endif

$(B)/dsfs-fuse: $(call objs,$(fuse_SRC)) $(LIB)
	$(call tell,LD)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lfuse3 $(SUM_LIBS) -lpthread

.PHONY: no-fuse
no-fuse:
	@echo 'dsfs-fuse is not built: there is no libfuse 3.12 or newer for $(CC) (Debian: libfuse3-dev)' >&2

ifeq ($(FUSE3),yes)
FUSE_TOOL	:= $(B)/dsfs-fuse
tools: $(FUSE_TOOL)
else
tools: no-fuse
endif

-include $(patsubst %.o,%.d,$(call objs,$(fuse_SRC)))
