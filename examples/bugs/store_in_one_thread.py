"""A store of an array under `single_thread()`, where the copy that follows it belongs.

Each of the 128 threads of a warpgroup holds a part of the array, and one of them stores: the copy takes 1/128 of the tile to
global memory, and for the rest what shared memory held before. Nothing is raised.

safegpu says:

    examples/bugs/store_in_one_thread.py:27: SG405: store_untiled stores what each thread of the warpgroup holds, and one thread alone gets here: take it out of single_thread() or of the when() whose condition elects a thread

Store with the whole warpgroup, then copy: `async_copy` elects a thread by itself.
"""

import safegpu as mgpu

MATRIX = mgpu.GMEM((64, 64), mgpu.float16)


class Scratch(mgpu.Scratch[mgpu.sm_90a]):
    tile = mgpu.SMEM((64, 64), mgpu.float16)


def copy_through(
    ctx: mgpu.LaunchContext, source: mgpu.GmemRef[mgpu.float16], result: mgpu.GmemRef[mgpu.float16], scratch: Scratch
) -> None:
    array = mgpu.FragmentedArray.load_strided(source)
    with mgpu.single_thread():
        array.store_untiled(scratch.tile)
        ctx.async_copy(src_ref=scratch.tile, dst_ref=result, predicate=None)
    ctx.await_async_copy(0)


def kernel() -> mgpu.Kernel:
    return mgpu.as_gpu_kernel(copy_through, (1, 1, 1), (128, 1, 1), MATRIX, MATRIX, Scratch)
