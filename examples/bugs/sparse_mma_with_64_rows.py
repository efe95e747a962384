"""A sparse matrix product whose accumulator has 64 rows.

The tensor core takes a sparse A of 128 rows alone ("Sparse MMA not supported for M=64"). Without types it is found when
the kernel is traced for a Blackwell GPU.

safegpu says:

    examples/bugs/sparse_mma_with_64_rows.py:31:13: SG801 sparse-mma-m64: a sparse MMA needs an accumulator of 128 rows; this one has 64: argument `d` of tcgen05.mma: got DenseTMEM[float32, TMEM_HALF_LANE_32BIT], expected DenseTMEM[float32, M128Accumulator]  [arg-type]
        fix: allocate the accumulator as TMEM((128, n), …), and give A 128 rows

`examples/sparse_matmul.py` is the same product with 128 rows.
"""

import safegpu as mgpu
from safegpu import tcgen05

M, N, K = 64, 128, 256


class Scratch(mgpu.Scratch):
    a = mgpu.SMEM((M, K // 2), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((N, K), mgpu.float16, swizzle=128)
    multiplied = mgpu.Barrier(arrival_count=1)
    acc = mgpu.TMEM((64, N), mgpu.float32)
    a_metadata = mgpu.TMEM((128, K // 2), mgpu.uint2, layout=tcgen05.sparse_meta_layout())


def multiply(ctx: mgpu.LaunchContext, out: mgpu.GmemRef[mgpu.float32], scratch: Scratch) -> None:
    with mgpu.single_thread():
        tcgen05.mma(
            scratch.acc,
            scratch.a,
            mgpu.memref_transpose(scratch.b, (1, 0, 3, 2)),
            a_sparse_metadata=scratch.a_metadata,
            accumulate=False,
        )
        tcgen05.commit_arrive(scratch.multiplied)
    scratch.multiplied.wait(orders_tensor_core=True)


def kernel() -> mgpu.Kernel:
    return mgpu.as_gpu_kernel(
        multiply,
        grid=(1, 1, 1),
        block=(128, 1, 1),
        in_shape=(),
        out_shape=mgpu.GMEM((M, N), mgpu.float32),
        smem_scratch_shape=Scratch,
    )
