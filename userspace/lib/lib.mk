# SPDX-License-Identifier: GPL-2.0
#
# libdsfs for programs of others: libdsfs.so.0 and libdsfs.a.  What dsfs.h does not
# declare, libdsfs.map does not name and is not seen outside of either, the decoders
# that the kernel shares included.  Included by the top Makefile.

# The number changes when a program that was linked would not run any more.
LIBDSFS_SONAME	:= libdsfs.so.0
LIBDSFS_SO	:= $(B)/$(LIBDSFS_SONAME).1.0
LIBDSFS_MAP	:= userspace/lib/libdsfs.map
OBJCOPY		?= $(shell $(CC) -print-prog-name=objcopy)
picobjs		= $(patsubst %.c,$(B)/pic/%.o,$(1))

$(B)/pic/%.o: %.c Makefile userspace/lib/lib.mk
	@mkdir -p $(@D)
	$(call tell,CC)$(CC) $(DSFS_CFLAGS) -fPIC -fno-semantic-interposition $(CFLAGS) $(CPPFLAGS) -c -o $@ $<

$(LIBDSFS_SO): $(call picobjs,$(libdsfs_SRC)) $(LIBDSFS_MAP)
	$(call tell,LD)$(CC) -shared -Wl,-soname,$(LIBDSFS_SONAME) -Wl,--version-script=$(LIBDSFS_MAP) \
		-Wl,-z,defs $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(SUM_LIBS) -lpthread
	$(Q)ln -sf $(@F) $(B)/$(LIBDSFS_SONAME)
	$(Q)ln -sf $(LIBDSFS_SONAME) $(B)/libdsfs.so

# One object in which all but the names of the map is local.
$(B)/libdsfs.a: $(call picobjs,$(libdsfs_SRC)) $(LIBDSFS_MAP)
	$(call tell,LD)$(CC) $(CFLAGS) -r -nostdlib -o $(B)/libdsfs.o $(filter %.o,$^)
	$(Q)sed -n 's/^\t*\(dsfs_[a-z_]*\);$$/\1/p' $(LIBDSFS_MAP) >$(B)/libdsfs.syms
	$(Q)$(OBJCOPY) --keep-global-symbols=$(B)/libdsfs.syms $(B)/libdsfs.o
	@rm -f $@
	$(call tell,AR)$(AR) rcsD $@ $(B)/libdsfs.o

.PHONY: lib
lib: $(LIBDSFS_SO) $(B)/libdsfs.a

-include $(patsubst %.o,%.d,$(call picobjs,$(libdsfs_SRC)))
