# SPDX-License-Identifier: GPL-2.0
#
# Everything is reachable from here; `make help` lists the targets.  Tools go to
# build/, the module is built by kbuild from the top-level Kbuild.

ifneq ($(KERNELRELEASE),)
include $(src)/Kbuild
else

VERSION		:= 0.1.0
prefix		?= /usr/local
sbindir		?= $(prefix)/sbin
mandir		?= $(prefix)/share/man
# mount(8) looks for helpers in /sbin only
mountdir	?= /sbin
KDIR		?= /lib/modules/$(shell uname -r)/build
B		:= build

CFLAGS		?= -O2 -g
WARN		:= -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes -Wshadow \
		   -Wvla -Werror=implicit -Wno-sign-compare
DSFS_CFLAGS	:= -std=gnu11 $(WARN) -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 \
		   -DDSFS_VERSION_STRING='"$(VERSION)"' -Ifs/libdsfs -Iuserspace/lib \
		   -MMD -MP
LIBS		:= -lisal -lxxhash -lblkid -luuid -lpthread
TOOLS		:= mkfs.dsfs fsck.dsfs dump.dsfs mount.dsfs

LIB_SRC		:= $(wildcard fs/libdsfs/*.c userspace/lib/*.c)
LIB_SRC		:= $(filter-out %_kunit.c,$(LIB_SRC))
mkfs_SRC	:= $(wildcard mkfs/*.c)
fsck_SRC	:= $(wildcard userspace/fsck/*.c)
dump_SRC	:= $(wildcard userspace/dump/*.c)
mount_SRC	:= $(wildcard userspace/mount/*.c)

objs		= $(patsubst %.c,$(B)/obj/%.o,$(1))
LIB		:= $(B)/libdsfs.a

.PHONY: all
all: tools modules

.PHONY: tools
tools: $(addprefix $(B)/,$(TOOLS))

$(B)/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(DSFS_CFLAGS) $(CFLAGS) $(CPPFLAGS) -c -o $@ $<

$(LIB): $(call objs,$(LIB_SRC))
	@rm -f $@
	$(AR) rcsD $@ $^

define tool_rule
$(B)/$(1).dsfs: $$(call objs,$$($(1)_SRC)) $$(LIB)
	$$(CC) $$(CFLAGS) $$(LDFLAGS) -o $$@ $$^ $$(LIBS)
endef
$(foreach t,mkfs fsck dump mount,$(eval $(call tool_rule,$(t))))

-include $(patsubst %.o,%.d,$(call objs,$(LIB_SRC) $(mkfs_SRC) $(fsck_SRC) $(dump_SRC) $(mount_SRC)))

# The module, for the kernel whose build tree KDIR names.
.PHONY: modules
modules:
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

endif
