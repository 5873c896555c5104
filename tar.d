tar.o: tests/fuzz/tar.c mkfs/params.h userspace/libdsfs/dsfs_platform.h \
  fs/format/dsfs_fs.h mkfs/plan/plan.h mkfs/plan/../options.h \
  mkfs/plan/../params.h mkfs/plan/../tree/tree.h \
  mkfs/plan/../tree/arena.h userspace/common/array.h \
  mkfs/plan/../tree/owners.h userspace/common/hash.h \
  mkfs/plan/../tree/xsets.h mkfs/source/source.h \
  mkfs/source/../options.h mkfs/source/../tree/tree.h \
  tests/fuzz/engine.h tests/fuzz/packed.h tests/fuzz/tar_input.h

mkfs/params.h:

userspace/libdsfs/dsfs_platform.h:

fs/format/dsfs_fs.h:

mkfs/plan/plan.h:

mkfs/plan/../options.h:

mkfs/plan/../params.h:

mkfs/plan/../tree/tree.h:

mkfs/plan/../tree/arena.h:

userspace/common/array.h:

mkfs/plan/../tree/owners.h:

userspace/common/hash.h:

mkfs/plan/../tree/xsets.h:

mkfs/source/source.h:

mkfs/source/../options.h:

mkfs/source/../tree/tree.h:

tests/fuzz/engine.h:

tests/fuzz/packed.h:

tests/fuzz/tar_input.h:
