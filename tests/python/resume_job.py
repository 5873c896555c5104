# SPDX-License-Identifier: GPL-2.0
"""A rank of a job that is killed: reads samples by worker processes, and notes which.

Arguments, as JSON: dir, life, rank, world, workers, batch, n, epochs, every (steps between
two checkpoints), die (the step after which all of it is killed; 0: none), state (what the
last checkpoint of the life before says, or null).
"""
import json
import os
import signal
import sys

from torch.utils import data

import dsfs


class Numbers:
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        return index


def loader_of(job):
    sampler = dsfs.Sampler(None, dsfs.Shuffle(job["n"], seed=11), paths=lambda i: None,
                           window=7, rank=job["rank"], world=job["world"])
    return dsfs.Resumable(data.DataLoader(Numbers(job["n"]), batch_size=job["batch"],
                                          sampler=sampler, num_workers=job["workers"],
                                          collate_fn=list, multiprocessing_context=(
                                              "fork" if job["workers"] else None)))


def run(job):
    loader = loader_of(job)
    # As an argument: rank 0 may write the next one before this rank has read it.
    if job["state"]:
        loader.load_state_dict(job["state"])
    state = os.path.join(job["dir"], "state")
    step = 0
    log = os.path.join(job["dir"], f"{job['life']}.{job['rank']}")
    with open(log, "w", encoding="ascii", buffering=1) as f:
        while loader.epoch < job["epochs"]:
            epoch = loader.epoch
            for batch in loader:
                step += 1
                f.write(json.dumps([step, epoch, batch]) + "\n")
                if not job["rank"] and step % job["every"] == 0:
                    with open(state + ".new", "w", encoding="ascii") as new:
                        json.dump(loader.state_dict(), new)
                    os.rename(state + ".new", state)
                if step == job["die"]:
                    # It leads a group of its own, in which its workers are.
                    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    run(json.loads(sys.argv[1]))
