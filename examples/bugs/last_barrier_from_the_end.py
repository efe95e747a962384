"""The last of the barriers, counted from the end as in Python.

Mosaic GPU compares an index with the number of barriers from above alone, and adds it to the address: the block waits for
the eight bytes before the first barrier, which are the tile's last elements. Whether that ends, they decide.

safegpu says, when the kernel is lowered:

    examples/bugs/last_barrier_from_the_end.py:28: SG806: barriers[-1]: there are 2 barriers, 0 to 1, and none counts from the end: this is other memory, whose bits the hardware would take for a barrier; the last one is barriers[1]

Write `memory.loaded[STEPS - 1]`.
"""

import safegpu as mgpu

ROWS, COLUMNS = 64, 64
STEPS = 2


class Memory(mgpu.Scratch[mgpu.sm_90a]):
    tile = mgpu.SMEM((ROWS, COLUMNS), mgpu.float16)
    loaded = mgpu.Barrier(1, num_barriers=STEPS)


def copy(
    ctx: mgpu.LaunchContext, source: mgpu.GmemRef[mgpu.float16], result: mgpu.GmemRef[mgpu.float16], memory: Memory
) -> None:
    ctx.async_copy(src_ref=source, dst_ref=memory.tile, barrier=memory.loaded[STEPS - 1])
    memory.loaded[-1].wait()
    mgpu.FragmentedArray.load_strided(memory.tile).store_untiled(result)


def kernel() -> mgpu.Kernel:
    matrix = mgpu.GMEM((ROWS, COLUMNS), mgpu.float16)
    return mgpu.as_gpu_kernel(
        copy, grid=(1, 1, 1), block=(128, 1, 1), in_shape=matrix, out_shape=matrix, smem_scratch_shape=Memory
    )
