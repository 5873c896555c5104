# SPDX-License-Identifier: GPL-2.0
#
# Everything is reachable from here; `make help` lists the targets.  Tools go to
# build/, the module is built by kbuild from the top-level Kbuild.

ifneq ($(KERNELRELEASE),)
include $(src)/Kbuild
else

VERSION		:= 0.1.0
prefix		?= /usr/local
bindir		?= $(prefix)/bin
sbindir		?= $(prefix)/sbin
libdir		?= $(prefix)/lib
includedir	?= $(prefix)/include
mandir		?= $(prefix)/share/man
# mount(8) looks for helpers in /sbin only
mountdir	?= /sbin
bashdir		?= $(prefix)/share/bash-completion/completions
zshdir		?= $(prefix)/share/zsh/site-functions
# and udev for its programs and rules in one of a few places
udevdir		?= /lib/udev
# Units that a user may enable; systemd looks there in /usr and in /usr/local
unitdir		?= $(prefix)/lib/systemd/system
KDIR		?= /lib/modules/$(shell uname -r)/build
B		:= build

# A line a file, as kbuild has it; V=1: the commands instead; make -s: neither.
Q		:= $(if $(filter 1,$(V)),,@)
tell		= $(Q)
ifeq ($(Q)$(findstring s,$(firstword -$(MAKEFLAGS))),@)
tell		= @printf '  %-7s %s\n' $(1) $@;
endif

CFLAGS		?= -O2 -g
WARN		:= -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes -Wshadow \
		   -Wvla -Werror=implicit -Wno-sign-compare -Wno-unused-parameter
DSFS_CFLAGS	:= -std=gnu11 $(WARN) -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 \
		   -DDSFS_VERSION_STRING='"$(VERSION)"' -Ifs/format -Iuserspace/lib -Iuserspace/tool \
		   $(addprefix -Iuserspace/,http walk export mounted tree write view) -MMD -MP
# ISAL=no: where there is no ISA-L, CRC-32C is the tools' own, and slow.
ISAL		?= yes
ifeq ($(ISAL),no)
DSFS_CFLAGS	+= -DDSFS_NO_ISAL
else
SUM_LIBS	:= -lisal
endif
# SHA-256; a static link does not find the second one by itself
SUM_LIBS	+= -lxxhash -lgcrypt -lgpg-error
# Without libarchive mkfs.dsfs --tar takes only archives that are not compressed, or by gzip.
ifndef LIBARCHIVE
LIBARCHIVE	:= $(shell printf '\043include <archive.h>\nint main(void) { return !archive_read_new(); }\n' | \
		     $(CC) $(CFLAGS) $(LDFLAGS) -x c -o /dev/null - -larchive 2>/dev/null && echo yes)
endif
ifeq ($(LIBARCHIVE),yes)
mkfs_LIBS	:= -larchive
else
DSFS_CFLAGS	+= -DDSFS_NO_LIBARCHIVE
endif
# Without these a compressed file cannot be read: the error says which codec is missing.
library		= $(shell echo 'int main(void) { return 0; }' | $(CC) $(CFLAGS) $(LDFLAGS) -x c \
		    -include $(1) -o /dev/null - -l$(2) 2>/dev/null && echo yes)
ifndef ZSTD
ZSTD		:= $(call library,zstd.h,zstd)
endif
ifeq ($(ZSTD),yes)
SUM_LIBS	+= -lzstd
else
DSFS_CFLAGS	+= -DDSFS_NO_ZSTD
endif
# Nor one by gzip for mkfs.dsfs --tar.
ifndef ZLIB
ZLIB		:= $(call library,zlib.h,z)
endif
ifeq ($(ZLIB),yes)
mkfs_LIBS	+= -lz
else
DSFS_CFLAGS	+= -DDSFS_NO_ZLIB
endif
ifndef LZ4
LZ4		:= $(call library,lz4.h,lz4)
endif
ifeq ($(LZ4),yes)
SUM_LIBS	+= -llz4
else
DSFS_CFLAGS	+= -DDSFS_NO_LZ4
endif
# Images on servers need the headers of libcurl; the library is loaded when it is needed.
ifndef CURL
CURL		:= $(shell printf '\043include <curl/curl.h>\n' | \
		     $(CC) $(CFLAGS) -x c -E -o /dev/null - 2>/dev/null && echo yes)
endif
ifeq ($(CURL),yes)
http_SRC	:= $(wildcard userspace/http/*.c)
else
DSFS_CFLAGS	+= -DDSFS_NO_CURL
http_SRC	:= $(addprefix userspace/http/,address.c hash.c sleep.c)
endif
# Lists of pieces, manifests and what servers say are JSON.
SUM_LIBS	+= -ljansson
LIBS		:= $(SUM_LIBS) -lblkid -luuid -lpthread
TOOLS		:= mkfs.dsfs fsck.dsfs dump.dsfs mount.dsfs dsfs dsfs_id
SCRIPTS		:= dsfs-switch

libdsfs_SRC	:= $(wildcard fs/format/*.c userspace/lib/*.c) $(http_SRC)
LIB_SRC		:= $(libdsfs_SRC) $(wildcard userspace/tool/*.c)
# Walks over a tree, and its digest, which all three compute
walk_SRC	:= $(wildcard userspace/walk/*.c)
# A generation that is made: of a source by mkfs.dsfs, of others by dsfs
change_SRC	:= $(wildcard userspace/tree/*.c userspace/write/*.c userspace/export/pieces*.c) \
		   userspace/export/newfile.c
mkfs_SRC	:= $(wildcard mkfs/*.c mkfs/*/*.c mkfs/*/*/*.c) $(walk_SRC)
fsck_SRC	:= $(wildcard userspace/fsck/*.c) $(walk_SRC)
dump_SRC	:= $(wildcard userspace/dump/*.c) $(walk_SRC)
# The view, an EROFS of an image
view_SRC	:= $(wildcard userspace/view/*.c)
mount_SRC	:= $(wildcard userspace/mount/*.c) $(view_SRC)
dsfs_SRC	:= $(wildcard userspace/verb/*.c userspace/mounted/*.c userspace/export/*.c) $(walk_SRC) \
		   $(view_SRC)
udev_SRC	:= $(wildcard userspace/udev/*.c)

objs		= $(patsubst %.c,$(B)/obj/%.o,$(1))
# What the tools link: the inside of libdsfs, and their own helpers
LIB		:= $(B)/internal.a
# and what makes a generation; a program gets what it calls
CHANGE		:= $(B)/change.a

# Without headers of the running kernel there is no module; the tools need none.
ifeq ($(origin KDIR):$(wildcard $(KDIR)/Makefile),file:)
KBUILD		:= no-module
else
KBUILD		:= modules
endif

.PHONY: all
all: tools lib $(KBUILD)

.PHONY: tools
tools: $(addprefix $(B)/,$(TOOLS) $(SCRIPTS))

$(B)/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call tell,CC)$(CC) $(DSFS_CFLAGS) $(CFLAGS) $(CPPFLAGS) -c -o $@ $<

$(LIB): $(call objs,$(LIB_SRC))
$(CHANGE): $(call objs,$(change_SRC))
$(LIB) $(CHANGE):
	@rm -f $@
	$(call tell,AR)$(AR) rcsD $@ $^

include userspace/lib/lib.mk
include userspace/fuse/fuse.mk

define tool_rule
$(B)/$(1).dsfs: $$(call objs,$$($(1)_SRC)) $$($(1)_LIB) $$(LIB)
	$$(call tell,LD)$$(CC) $$(CFLAGS) $$(LDFLAGS) -o $$@ $$^ $$(LIBS) $$($(1)_LIBS)
endef
mkfs_LIB	:= $(CHANGE)
$(foreach t,mkfs fsck dump mount,$(eval $(call tool_rule,$(t))))

# dsfs COMMAND
$(B)/dsfs: $(call objs,$(dsfs_SRC)) $(CHANGE) $(LIB)
	$(call tell,LD)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) $(dsfs_LIBS)

# What udev asks
$(B)/dsfs_id: $(call objs,$(udev_SRC)) $(LIB)
	$(call tell,LD)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(B)/dsfs-switch: userspace/switch/dsfs-switch Makefile
	$(call tell,GEN)sed 's/@VERSION@/$(VERSION)/' $< >$@.new
	$(Q)chmod 755 $@.new
	$(Q)mv $@.new $@

# What shells complete, as the tools tell it.  dsfs_id is for udev alone.
COMPLETED	:= $(filter-out dsfs_id,$(TOOLS)) $(notdir $(FUSE_TOOL))
$(B)/completion/bash/% $(B)/completion/zsh/_%: $(B)/% scripts/completions $(wildcard scripts/completion/*.awk)
	$(call tell,GEN)scripts/completions $< $(B)/completion

.PHONY: completions
completions: $(addprefix $(B)/completion/bash/,$(COMPLETED))

-include $(patsubst %.o,%.d,$(call objs,$(LIB_SRC) $(change_SRC) $(mkfs_SRC) $(fsck_SRC) $(dump_SRC) $(mount_SRC) \
	$(dsfs_SRC) $(udev_SRC)))

# The module, for the kernel whose build tree KDIR names: fs/dsfs.ko.
.PHONY: modules no-module
modules:
	@[ -e $(KDIR)/Makefile ] || { echo 'modules: $(KDIR): no build tree of a kernel' \
		'(Debian: linux-headers-$(KVER))' >&2; exit 1; }
	$(MAKE) -C $(KDIR) M=$(CURDIR) CONFIG_DSFS_FS=m modules

no-module:
	@echo 'the module is not built: there are no headers of the running kernel' \
		'(Debian: linux-headers-$(KVER))' >&2

MANPAGES	:= $(wildcard Documentation/man/*.8)
LIBMANPAGES	:= $(wildcard Documentation/man/*.3)
FSMANPAGES	:= $(wildcard Documentation/man/*.5)
MISCMANPAGES	:= $(wildcard Documentation/man/*.7)
KVER		= $(notdir $(patsubst %/build,%,$(KDIR)))
MODDIR		= $(DESTDIR)/lib/modules/$(KVER)/updates

# Tools, library, manual pages and completions; the module too if it has been built for KDIR.
.PHONY: install uninstall
install: tools lib completions
	install -d $(DESTDIR)$(sbindir) $(DESTDIR)$(mountdir) $(DESTDIR)$(mandir)/man8
	install -m 755 $(addprefix $(B)/,mkfs.dsfs fsck.dsfs dump.dsfs dsfs $(SCRIPTS)) $(DESTDIR)$(sbindir)
	install -m 755 $(B)/mount.dsfs $(DESTDIR)$(mountdir)
	if [ -n "$(FUSE_TOOL)" ]; then \
		install -d $(DESTDIR)$(bindir) && install -m 755 $(FUSE_TOOL) $(DESTDIR)$(bindir); \
	fi
	install -m 644 $(MANPAGES) $(DESTDIR)$(mandir)/man8
	install -d $(DESTDIR)$(mandir)/man5
	install -m 644 $(FSMANPAGES) $(DESTDIR)$(mandir)/man5
	install -d $(DESTDIR)$(mandir)/man7
	install -m 644 $(MISCMANPAGES) $(DESTDIR)$(mandir)/man7
	install -d $(DESTDIR)$(libdir)/pkgconfig $(DESTDIR)$(includedir) $(DESTDIR)$(mandir)/man3
	install -m 755 $(LIBDSFS_SO) $(DESTDIR)$(libdir)
	ln -sf $(notdir $(LIBDSFS_SO)) $(DESTDIR)$(libdir)/$(LIBDSFS_SONAME)
	ln -sf $(LIBDSFS_SONAME) $(DESTDIR)$(libdir)/libdsfs.so
	install -m 644 $(B)/libdsfs.a $(DESTDIR)$(libdir)
	install -m 644 userspace/lib/dsfs.h $(DESTDIR)$(includedir)
	sed 's|@prefix@|$(prefix)|; s|@libdir@|$(libdir)|; s|@includedir@|$(includedir)|; s|@VERSION@|$(VERSION)|; s|@LIBS@|$(SUM_LIBS) -lpthread|' \
		userspace/lib/libdsfs.pc.in >$(DESTDIR)$(libdir)/pkgconfig/libdsfs.pc
	install -m 644 $(LIBMANPAGES) $(DESTDIR)$(mandir)/man3
	install -d $(DESTDIR)$(udevdir)/rules.d
	install -m 755 $(B)/dsfs_id $(DESTDIR)$(udevdir)
	install -m 644 userspace/udev/61-dsfs.rules $(DESTDIR)$(udevdir)/rules.d
	install -d $(DESTDIR)$(bashdir) $(DESTDIR)$(zshdir)
	install -m 644 $(addprefix $(B)/completion/bash/,$(COMPLETED)) $(DESTDIR)$(bashdir)
	install -m 644 $(addprefix $(B)/completion/zsh/_,$(COMPLETED)) $(DESTDIR)$(zshdir)
	install -d $(DESTDIR)$(unitdir)
	sed 's|/usr/sbin/|$(sbindir)/|' Documentation/monitoring/dsfs-stat.service \
		>$(DESTDIR)$(unitdir)/dsfs-stat.service
	install -m 644 Documentation/monitoring/dsfs-stat.timer $(DESTDIR)$(unitdir)
	if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" -eq 0 ]; then ldconfig; fi
	if [ -e fs/dsfs.ko ]; then \
		install -d $(MODDIR) && \
		install -m 644 fs/dsfs.ko $(MODDIR) && \
		{ [ -n "$(DESTDIR)" ] || depmod $(KVER); }; \
	fi

uninstall:
	rm -f $(addprefix $(DESTDIR)$(sbindir)/,mkfs.dsfs fsck.dsfs dump.dsfs dsfs $(SCRIPTS))
	rm -f $(DESTDIR)$(mountdir)/mount.dsfs $(DESTDIR)$(bindir)/dsfs-fuse
	rm -f $(DESTDIR)$(udevdir)/dsfs_id $(DESTDIR)$(udevdir)/rules.d/61-dsfs.rules
	rm -f $(addprefix $(DESTDIR)$(bashdir)/,$(COMPLETED)) $(addprefix $(DESTDIR)$(zshdir)/_,$(COMPLETED))
	rm -f $(addprefix $(DESTDIR)$(mandir)/man8/,$(notdir $(MANPAGES)))
	rm -f $(addprefix $(DESTDIR)$(mandir)/man5/,$(notdir $(FSMANPAGES)))
	rm -f $(addprefix $(DESTDIR)$(mandir)/man7/,$(notdir $(MISCMANPAGES)))
	rm -f $(addprefix $(DESTDIR)$(libdir)/,$(notdir $(LIBDSFS_SO)) $(LIBDSFS_SONAME) libdsfs.so \
		libdsfs.a pkgconfig/libdsfs.pc) $(DESTDIR)$(includedir)/dsfs.h
	rm -f $(addprefix $(DESTDIR)$(mandir)/man3/,$(notdir $(LIBMANPAGES)))
	rm -f $(addprefix $(DESTDIR)$(unitdir)/,dsfs-stat.service dsfs-stat.timer)
	if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" -eq 0 ]; then ldconfig; fi
	if [ -e $(MODDIR)/dsfs.ko ]; then \
		rm -f $(MODDIR)/dsfs.ko && \
		{ [ -n "$(DESTDIR)" ] || depmod $(KVER); }; \
	fi

include tests/tools.mk
include tests/bench.mk
include tests/hostile.mk
-include tests/unit.mk
# The tables of cases that unit tests and KUnit share
UNIT_CFLAGS	+= -Ifs/format/tests
include tests/fuzz.mk

# The three circles of the tests (tests/README.md): what an edit needs, what a commit needs,
# all of it; and check-long, which takes hours.  T: a path, a tier or a suite.
.PHONY: t check check-rest check-all check-long check-rbd
t:
	@tests/t $(T)

check:
	scripts/install-deps build check
	tests/check $(TIERS)

# What check-all adds to check, for who has run that.
check-rest:
	scripts/install-deps check-all
	tests/check --rest $(TIERS)

check-all: check
	$(MAKE) check-rest

# One snapshot on a real Ceph cluster, many nodes.
check-rbd:
	scripts/install-deps check-all
	tests/check rbd

check-long:
	scripts/install-deps check-long
	tests/check --long $(TIERS)

# Defects that the tests have to find: M one of tests/mutants, TIER a tier that looks for it.
.PHONY: mutants
mutants:
	scripts/install-deps build check
	tests/mutants/run $(if $(TIER),--tier=$(TIER)) $(M)

# Debian packages of these files, in build/deb/out: Documentation/install.rst.
.PHONY: deb
deb:
	scripts/install-deps build deb
	scripts/deb $(B)/deb

# The module for dkms(8) as an rpm package, in build/rpm/out.
.PHONY: rpm
rpm:
	scripts/install-deps build deb
	scripts/rpm $(B)/rpm

# Which lines of fs/ the tests reach.
.PHONY: coverage
coverage:
	scripts/install-deps build check
	tests/coverage/run

# Pack a tree, mount it, read it in random order, beside ext4.
.PHONY: demo
demo:
	$(Q)scripts/install-deps build demo
	$(Q)$(MAKE) --no-print-directory -j"$$(nproc)" tools
	$(Q)scripts/demo $(TREE)

# A commit and the tag of a version, which is given on the command line.
.PHONY: release
release:
	$(if $(filter command%,$(origin VERSION)),,$(error release: which one? make release VERSION=0.2.0))
	env -u MAKEFLAGS -u MFLAGS scripts/release $(VERSION)

# The module as patches for a kernel tree, in build/upstream, and those for readahead, in
# build/upstream-mm: Documentation/upstream.rst.
.PHONY: upstream-series
upstream-series:
	scripts/install-deps build check
	scripts/upstream-series --patches $(B)/upstream
	scripts/upstream-mm --patches $(B)/upstream-mm

# The documents as a site, in build/docs; a warning is an error.
.PHONY: docs
docs:
	scripts/install-deps docs
	scripts/site $(B)/docs

.PHONY: clean distclean
clean:
	rm -rf $(B)
	find fs -name '*.o' -o -name '*.ko' -o -name '*.mod' -o -name '*.mod.c' \
		-o -name '.*.cmd' -o -name '*.a' | xargs -r rm -f
	rm -f Module.symvers modules.order .*.cmd fs/modules.order dsfs-conftest.*

# What was downloaded and built outside of the checkout, too.
distclean: clean
	rm -rf "$${DSFS_CACHE:-$${XDG_CACHE_HOME:-$$HOME/.cache}/dsfs}"

.PHONY: help
help:
	@echo 'make [all]                 tools and library, and the module where kernel headers are'
	@echo 'make tools                 build/mkfs.dsfs, fsck.dsfs, dump.dsfs, mount.dsfs, dsfs'
	@echo '                           and dsfs-fuse where libfuse 3 is'
	@echo 'make lib                   build/libdsfs.so and libdsfs.a: see dsfs(3)'
	@echo 'make modules [KDIR=...]    fs/dsfs.ko for the kernel with that build tree'
	@echo 'make install [DESTDIR=...] [prefix=/usr/local]'
	@echo '                           tools, library, manual pages, completions, and the module if built'
	@echo 'make uninstall             the reverse, with the same variables'
	@echo 'make deb                   Debian packages of all that, in build/deb/out'
	@echo 'make rpm                   an rpm package of the module, in build/rpm/out'
	@echo 'make demo [TREE=...]       pack a tree, mount it, read it shuffled, beside ext4'
	@echo 'make t [T=fs/format]       what an edit there needs, in a minute: a path, a tier or a suite'
	@echo 'make check [TIERS="..."]   what finds nearly everything, or some tiers: tests/README.md'
	@echo 'make check-all             all tests; check-rest: those that check has not'
	@echo 'make coverage              which lines of fs/ the tests reach'
	@echo 'make check-long            the same with larger samples, and ten million files'
	@echo 'make mutants [M=...]       defects that the tests have to find'
	@echo 'make check-rbd             tests that need a Ceph cluster, which they make'
	@echo 'make bench [BENCH="..."]   all benchmarks, or some parts: Documentation/performance.rst'
	@echo 'make bench-native          times beside its peers, at the speed of this machine'
	@echo 'make bench-train           training jobs beside its peers and packed formats'
	@echo 'make bench-plots           pictures of the results that are kept there'
	@echo 'make docs                  the documents as a site, in build/docs'
	@echo 'make release VERSION=X     a commit and a tag, after what a release needs'
	@echo 'make upstream-series       the module as patches for a kernel tree'
	@echo 'make V=1 ...               print the commands, not a line a file'
	@echo 'make clean                 remove what was built here'
	@echo 'make distclean             and the cache of kernels and test beds'

endif
