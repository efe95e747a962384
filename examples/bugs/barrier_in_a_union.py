"""A barrier in a `Union`, below data of another member.

The members of a `Union` begin at one place. The result of the second phase is written over the barrier of the first, whose
count and phase are gone. Nothing is raised; who waits for it next may wait for ever.

safegpu says:

    examples/bugs/barrier_in_a_union.py:35: SG805: Scratch.shared.members[0][1] and Scratch.shared.members[1] share bytes 8192 to 8200 of shared memory in a Union, and Scratch.shared.members[0][1] is a barrier, which the kernel initializes before the body runs and no other use may touch: declare it outside the Union

Declare barriers outside: `shared = mgpu.Union([tile, result])`, and `loaded = mgpu.Barrier(1)` behind it.
"""

import safegpu as mgpu

MATRIX = mgpu.GMEM((64, 64), mgpu.float16)


class Scratch(mgpu.Scratch[mgpu.sm_90a]):
    shared = mgpu.Union([
        (mgpu.SMEM((64, 64), mgpu.float16), mgpu.Barrier(1)),
        mgpu.SMEM((64, 128), mgpu.float16),
    ])  # fmt: skip


def copy_through(
    ctx: mgpu.LaunchContext, source: mgpu.GmemRef[mgpu.float16], result: mgpu.GmemRef[mgpu.float16], scratch: Scratch
) -> None:
    (tile, loaded), _ = scratch.shared
    ctx.async_copy(src_ref=source, dst_ref=tile, barrier=loaded)
    loaded.wait()
    mgpu.FragmentedArray.load_strided(tile).store_untiled(result)


def kernel() -> mgpu.Kernel:
    return mgpu.as_gpu_kernel(copy_through, (1, 1, 1), (128, 1, 1), MATRIX, MATRIX, Scratch)
