#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
weights.py FILE MIB - a safetensors file of about that size: layers of a transformer.

The layout is the documented one: the length of the header in 8 bytes, a JSON object with dtype,
shape and data_offsets of each tensor, padded with spaces to a multiple of 8, then the data.
"""
import json
import random
import struct
import sys

# Rows and columns of the tensors of a layer, in two bytes a value
HIDDEN = 1024
LAYER = {"self_attn.q_proj": (HIDDEN, HIDDEN), "self_attn.k_proj": (HIDDEN, HIDDEN),
         "self_attn.v_proj": (HIDDEN, HIDDEN), "self_attn.o_proj": (HIDDEN, HIDDEN),
         "mlp.gate_proj": (2752, HIDDEN), "mlp.up_proj": (2752, HIDDEN),
         "mlp.down_proj": (HIDDEN, 2752), "input_layernorm": (1, HIDDEN)}


def main(path, mib):
    tensors, at, layer = {}, 0, 0
    while at < int(mib) << 20:
        for name, shape in LAYER.items():
            size = 2 * shape[0] * shape[1]
            tensors[f"model.layers.{layer}.{name}.weight"] = {
                "dtype": "F16", "shape": shape, "data_offsets": [at, at + size]}
            at += size
        layer += 1
    header = json.dumps(tensors, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)
    source = random.Random(1)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(header)) + header)
        for left in range(at, 0, -(1 << 20)):
            out.write(source.randbytes(min(left, 1 << 20)))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
