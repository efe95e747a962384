"""Two copies arrive at one barrier, to which the number of their elements is announced and not that of their bytes.

More bytes come than were announced: the barrier completes before the tiles are there, or never.

safegpu says, when the kernel is lowered:

    examples/bugs/announced_elements.py:41: SG408: 8192 bytes are announced at announced_elements.py:31, and the copies at announced_elements.py:32, announced_elements.py:33 bring 16384: the barrier completes too early, or never; announce 16384

Announce bytes: `2 * ROWS * COLUMNS * mgpu.float16.bits // 8`.
"""

import safegpu as mgpu

ROWS, COLUMNS = 64, 64


class Scratch(mgpu.Scratch[mgpu.sm_90a]):
    a = mgpu.SMEM((ROWS, COLUMNS), mgpu.float16)
    b = mgpu.SMEM((ROWS, COLUMNS), mgpu.float16)
    arrived = mgpu.Barrier(arrival_count=1)


def add(
    ctx: mgpu.LaunchContext,
    a: mgpu.GmemRef[mgpu.float16],
    b: mgpu.GmemRef[mgpu.float16],
    result: mgpu.GmemRef[mgpu.float16],
    scratch: Scratch,
) -> None:
    with mgpu.single_thread():
        scratch.arrived.arrive_expect_tx(2 * ROWS * COLUMNS)
        ctx.async_copy(src_ref=a, dst_ref=scratch.a, barrier=scratch.arrived, arrive=False, predicate=None)
        ctx.async_copy(src_ref=b, dst_ref=scratch.b, barrier=scratch.arrived, arrive=False, predicate=None)
    scratch.arrived.wait()
    total = mgpu.FragmentedArray.load_strided(scratch.a) + mgpu.FragmentedArray.load_strided(scratch.b)
    total.store_untiled(result)


def kernel() -> mgpu.Kernel:
    matrix = mgpu.GMEM((ROWS, COLUMNS), mgpu.float16)
    return mgpu.as_gpu_kernel(add, (1, 1, 1), (128, 1, 1), (matrix, matrix), matrix, Scratch)
