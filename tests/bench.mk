# SPDX-License-Identifier: GPL-2.0
#
# What the benchmarks are made of (Documentation/performance.rst).  To be included by
# the top Makefile, after tests/tools.mk.

# What checksums cost on this machine.
$(TB)/checksum: $(call objs,tests/bench/checksum.c)
	@mkdir -p $(@D)
	$(call tell,LD)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(SUM_LIBS)

# What runs in guests.  native_task asks the native benchmark's kernel; reader reads an epoch as a
# job does.
$(TB)/mapped: $(call objs,tests/bench/mapped.c)
$(TB)/native_task: $(call objs,tests/bench/native/task.c tests/guest/lib.c)
$(TB)/reader: $(call objs,tests/bench/train/reader.c tests/guest/lib.c)
$(addprefix $(TB)/,mapped native_task reader):
	@mkdir -p $(@D)
	$(call tell,LD)$(CC) $(CFLAGS) $(LDFLAGS) -static -o $@ $^ -lpthread

.PHONY: bench-tools
bench-tools: $(TB)/mkset $(TB)/mapped $(TB)/requests

# All benchmarks, or the parts in BENCH.  scripts/results-tables --keep makes what is kept of
# what they print, build/bench/out/PART.txt.
.PHONY: bench bench-plots
bench:
	scripts/install-deps build bench
	$(MAKE) tools bench-tools
	tests/bench/run $(BENCH)

# By the clock, at the host's own speed: all phases, or those in BENCH_NATIVE
.PHONY: bench-native
bench-native:
	scripts/install-deps build bench
	$(MAKE) tools bench-tools
	tests/bench/native/run

# Training jobs: all phases, or those in BENCH_TRAIN
.PHONY: bench-train
bench-train:
	scripts/install-deps train
	$(MAKE) tools bench-tools
	tests/bench/train/run

# Pictures of what was kept.
bench-plots:
	scripts/install-deps bench
	scripts/results-plots

-include $(B)/obj/tests/bench/checksum.d \
	 $(B)/obj/tests/bench/mapped.d $(B)/obj/tests/bench/native/task.d $(B)/obj/tests/bench/train/reader.d
