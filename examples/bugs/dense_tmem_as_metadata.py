"""A sparse matrix product that takes dense tensor memory for its metadata.

Mosaic GPU compares the dtype ("A sparse metadata dtype mismatch") but never the layout: two-bit values in another order
are multiplied with the wrong elements, and nothing is said.

safegpu says:

    examples/bugs/dense_tmem_as_metadata.py:30:9: SG107 dense-tmem-as-metadata: sparse metadata must be in TMEM allocated with the sparse-metadata layout: argument `a_sparse_metadata` of tcgen05.mma: got DenseTMEM[int8, TMEM_DEFAULT_8BIT_PACKED], expected SparseMetaTMEM  [call-overload]
        fix: allocate it as TMEM(shape, mgpu.uint2, layout=tcgen05.sparse_meta_layout())

`examples/sparse_matmul.py` allocates the metadata with `layout=tcgen05.sparse_meta_layout()`.
"""

import safegpu as mgpu
from safegpu import tcgen05

M, N, K = 128, 128, 256


class Scratch(mgpu.Scratch):
    a = mgpu.SMEM((M, K // 2), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((N, K), mgpu.float16, swizzle=128)
    multiplied = mgpu.Barrier(arrival_count=1)
    acc = mgpu.TMEM((128, N), mgpu.float32)
    a_metadata = mgpu.TMEM((128, K // 2), mgpu.int8, packing=4)


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
