"""The slot of a ring, indexed in the tile.

Mosaic GPU goes through indices and dimensions side by side and stops at the shorter. The tile has two dimensions, so the
slot is dropped: both rounds load into the same buffer, and the second overwrites what the first is read for.

safegpu says, when the kernel is lowered:

    examples/bugs/surplus_index.py:26: SG807: memref_slice: got 3 indices for the 2 dimensions of shape (64, 64); Mosaic GPU drops the last 1: leave them out, or index what has these dimensions

Give the buffer the dimension, `mgpu.SMEM((SLOTS, ROWS, COLUMNS), …)`, and index the slot first.
"""

import safegpu as mgpu

ROWS, COLUMNS = 64, 64
SLOTS = 2


class Memory(mgpu.Scratch[mgpu.sm_90a]):
    ring = mgpu.SMEM((ROWS, COLUMNS), mgpu.float16)
    loaded = mgpu.Barrier(1, num_barriers=SLOTS)


def load(ctx: mgpu.LaunchContext, source: mgpu.GmemRef[mgpu.float16], memory: Memory) -> None:
    for slot in range(SLOTS):
        to = mgpu.memref_slice(memory.ring, (slice(ROWS), slice(COLUMNS), slot))
        ctx.async_copy(src_ref=source, dst_ref=to, gmem_slice=slot, barrier=memory.loaded[slot])


def kernel() -> mgpu.Kernel:
    return mgpu.as_gpu_kernel(
        load,
        grid=(1, 1, 1),
        block=(128, 1, 1),
        in_shape=mgpu.GMEM((SLOTS, ROWS, COLUMNS), mgpu.float16),
        out_shape=(),
        smem_scratch_shape=Memory,
    )
