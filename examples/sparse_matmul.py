"""A matmul whose left operand is 2:4 sparse (Blackwell).

Of every four consecutive elements along K at most two are not zero. A holds those two, so it is half as wide as K, and
two-bit metadata says where in their group of four they belong. The tensor core reads the metadata from tensor memory,
where it can only come by way of shared memory.

It needs a Blackwell GPU to run; `python -m examples.run` lowers it, and compiles it for sm_100a where it can.
"""

import safegpu as mgpu
from safegpu import tcgen05

M, N, K = 128, 128, 256


class Scratch[D: mgpu.DType](mgpu.Scratch[mgpu.sm_100a | mgpu.sm_103a | mgpu.sm_110a]):
    def __init__(self, dtype: type[D]) -> None:
        self.a = mgpu.SMEM((M, K // 2), dtype, swizzle=128)
        self.b = mgpu.SMEM((N, K), dtype, swizzle=128)
        self.metadata = mgpu.SMEM((1, K // 128, 128, 64), mgpu.uint2, swizzle=16)
        self.copied = mgpu.Barrier(arrival_count=3)
        self.multiplied = mgpu.Barrier(arrival_count=1)
        self.acc = mgpu.TMEM((128, N), mgpu.float32)
        self.a_metadata = mgpu.TMEM((128, K // 2), mgpu.uint2, layout=tcgen05.sparse_meta_layout())


def kernel[D: (mgpu.float16, mgpu.float8_e4m3fn)](dtype: type[D]) -> mgpu.Kernel:
    """A kernel that gives A @ B.T in float32, for A (M, K // 2), B (N, K) and the metadata of A.

    The metadata is (1, K // 128, 128, 64) uint2, in the order that the PTX ISA asks for ("Sparsity selector").
    """
    tiles = mgpu.TileTransform((8, 8 * 128 // dtype.bits))

    def sparse_matmul(
        ctx: mgpu.LaunchContext,
        a: mgpu.GmemRef[D],
        b: mgpu.GmemRef[D],
        metadata: mgpu.GmemRef[mgpu.uint2],
        out: mgpu.GmemRef[mgpu.float32],
        scratch: Scratch[D],
    ) -> None:
        ctx.async_copy(src_ref=a, dst_ref=scratch.a, barrier=scratch.copied, swizzle=128, gmem_transform=tiles)
        ctx.async_copy(src_ref=b, dst_ref=scratch.b, barrier=scratch.copied, swizzle=128, gmem_transform=tiles)
        ctx.async_copy(src_ref=metadata, dst_ref=scratch.metadata, barrier=scratch.copied)
        scratch.copied.wait()

        # The tensor core runs what one thread issues in order, so nothing has to wait for the metadata's copy.
        with mgpu.single_thread():
            tcgen05.async_copy_sparse_metadata_smem_to_tmem(scratch.metadata, scratch.a_metadata)
            tcgen05.mma(
                scratch.acc,
                scratch.a,
                mgpu.memref_transpose(scratch.b, (1, 0, 3, 2)),
                a_swizzle=128,
                b_swizzle=128,
                a_sparse_metadata=scratch.a_metadata,
                accumulate=False,
            )
            tcgen05.commit_arrive(scratch.multiplied)
        scratch.multiplied.wait(orders_tensor_core=True)

        result = scratch.acc.load()
        tcgen05.wait_load_tmem()
        result.store_untiled(out, optimized=False)

    return mgpu.as_gpu_kernel(
        sparse_matmul,
        grid=(1, 1, 1),
        block=(128, 1, 1),
        in_shape=(
            mgpu.GMEM((M, K // 2), dtype),
            mgpu.GMEM((N, K), dtype),
            mgpu.GMEM((1, K // 128, 128, 64), mgpu.uint2),
        ),
        out_shape=mgpu.GMEM((M, N), mgpu.float32),
        smem_scratch_shape=Scratch(dtype),
    )


def float16() -> mgpu.Kernel:
    return kernel(mgpu.float16)


def float8() -> mgpu.Kernel:
    return kernel(mgpu.float8_e4m3fn)
