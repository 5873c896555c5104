# SPDX-License-Identifier: GPL-2.0
"""What trainers ask of a loader and its sampler when a job is resumed.

Debian has none of these packages, so each module here does what the sources of the version in
its name do, as far as an order depends on it: who is asked for a state, when, who is told an
epoch, and what is counted.  Ranks are objects in one process, and workers read no files.
"""
