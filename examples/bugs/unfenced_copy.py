"""A tile goes from registers into shared memory, and from there through TMA into the output.

TMA reads through another proxy than threads write, and it is one thread that starts it. It may read what was in shared memory before: a few tiles come out
wrong, on some runs.

safegpu says, when the kernel is lowered:

    examples/bugs/unfenced_copy.py:27: SG902: LaunchContext.async_copy reads shared memory that store_untiled wrote at unfenced_copy.py:26, with no commit_shared() between: the copy may read what was there before; call it after the store

Call `mgpu.commit_shared()` after the store: it is the fence, and the barrier of the threads that stored.
"""

import safegpu as mgpu

ROWS, COLUMNS = 64, 64


class Scratch(mgpu.Scratch[mgpu.sm_90a]):
    tile = mgpu.SMEM((ROWS, COLUMNS), mgpu.float16)


def double(
    ctx: mgpu.LaunchContext, source: mgpu.GmemRef[mgpu.float16], result: mgpu.GmemRef[mgpu.float16], scratch: Scratch
) -> None:
    tile = mgpu.FragmentedArray.load_strided(source)
    (tile * 2.0).store_untiled(scratch.tile)
    ctx.async_copy(src_ref=scratch.tile, dst_ref=result)
    ctx.await_async_copy(0)


def kernel() -> mgpu.Kernel:
    matrix = mgpu.GMEM((ROWS, COLUMNS), mgpu.float16)
    return mgpu.as_gpu_kernel(double, (1, 1, 1), (128, 1, 1), matrix, matrix, Scratch)
