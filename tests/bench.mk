# SPDX-License-Identifier: GPL-2.0
#
# What the benchmarks are made of (Documentation/benchmarks/).  To be included by
# the top Makefile, after tests/tools.mk.

$(T)/mkset: $(call objs,tests/bench/mkset.c)
	@mkdir -p $(@D)
	$(call tell,LD)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

$(T)/elapsed: $(call objs,tests/bench/elapsed.c)
	@mkdir -p $(@D)
	$(call tell,LD)$(CC) $(CFLAGS) $(LDFLAGS) -static -o $@ $^

$(T)/mapped: $(call objs,tests/bench/mapped.c)
	@mkdir -p $(@D)
	$(call tell,LD)$(CC) $(CFLAGS) $(LDFLAGS) -static -o $@ $^

$(T)/weights: $(call objs,tests/bench/weights.c)
	@mkdir -p $(@D)
	$(call tell,LD)$(CC) $(CFLAGS) $(LDFLAGS) -static -o $@ $^

# What asks the native benchmark's kernel.
$(T)/native_task: $(call objs,tests/bench/native/task.c)
	@mkdir -p $(@D)
	$(call tell,LD)$(CC) $(CFLAGS) $(LDFLAGS) -static -o $@ $^

# An epoch as a job reads it: in the native benchmark's kernel, and in guests.
reader_SRC	:= tests/bench/train/reader.c tests/bench/train/forms.c
$(T)/reader: $(call objs,$(reader_SRC))
	@mkdir -p $(@D)
	$(call tell,LD)$(CC) $(CFLAGS) $(LDFLAGS) -static -o $@ $^ -lpthread

# Samples by libdsfs, of the image and by a cache
$(T)/samples: $(call objs,tests/bench/samples.c) $(LIB)
	@mkdir -p $(@D)
	$(call tell,LD)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(SUM_LIBS) -lpthread

# A network's distance, for tests/bench/http
$(T)/delay: $(call objs,tests/bench/delay.c)
	@mkdir -p $(@D)
	$(call tell,LD)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

# What compression saves, for tests/bench/compress; the second one runs in guests, too.
$(T)/mkkinds: $(call objs,tests/bench/mkkinds.c)
	@mkdir -p $(@D)
	$(call tell,LD)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm

$(T)/packed: $(call objs,tests/bench/packed.c)
	@mkdir -p $(@D)
	$(call tell,LD)$(CC) $(CFLAGS) $(LDFLAGS) -static -o $@ $^ -lzstd -llz4

.PHONY: bench-tools
bench-tools: $(T)/mkset $(T)/elapsed $(T)/mapped $(T)/requests

# All benchmarks, or the parts in BENCH; BENCH_KEEP=1 keeps what they print.
.PHONY: bench bench-plots
bench:
	scripts/install-deps build bench
	$(MAKE) tools bench-tools
	tests/bench/run $(if $(BENCH_KEEP),--keep) $(BENCH)

# By the clock, at the host's own speed: all phases, or those in BENCH_NATIVE;
# BENCH_KEEP=1 keeps the result.
.PHONY: bench-native
bench-native:
	scripts/install-deps build bench
	$(MAKE) tools bench-tools
	tests/bench/native/run $(if $(BENCH_KEEP),--keep)

# Training jobs: all phases, or those in BENCH_TRAIN; BENCH_KEEP=1 keeps the result.
.PHONY: bench-train
bench-train:
	scripts/install-deps train
	$(MAKE) tools bench-tools
	tests/bench/train/run $(if $(BENCH_KEEP),--keep)

# Pictures of what was kept.
bench-plots:
	scripts/install-deps bench
	tests/bench/plots

-include $(B)/obj/tests/bench/mkset.d $(B)/obj/tests/bench/elapsed.d \
	 $(B)/obj/tests/bench/samples.d $(B)/obj/tests/bench/delay.d \
	 $(B)/obj/tests/bench/mkkinds.d $(B)/obj/tests/bench/packed.d \
	 $(B)/obj/tests/bench/native/task.d $(patsubst %.o,%.d,$(call objs,$(reader_SRC)))
