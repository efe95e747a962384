"""A matmul whose left operand is 2:4 sparse (Blackwell).

Of every four consecutive elements along K at most two are not zero. A holds those two, so it is half as wide
as K, and two-bit metadata says where in their group of four they belong. The tensor core reads the metadata
from TMEM, where it can only come by way of shared memory.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.experimental.mosaic.gpu as mgpu
import jax.numpy as jnp
import numpy as np
from jax.experimental.mosaic.gpu import tcgen05

SWIZZLE = 128
M, N = 128, 128


def build(dtype: Any = jnp.float16, k: int = 256) -> Any:
    """A kernel that gives A @ B.T in float32, for A (M, k // 2), B (N, k) and the metadata of A.

    `dtype` is float16, bfloat16, float8_e4m3fn or float8_e5m2; `pack_metadata` makes the metadata.
    """
    dtype = jnp.dtype(dtype)
    tiling = (8, SWIZZLE // dtype.itemsize)

    def sparse_matmul(ctx: Any, a: Any, b: Any, metadata: Any, out: Any, scratch: Any) -> None:
        a_smem, b_smem, metadata_smem, copied, multiplied, acc, a_metadata = scratch
        for matrix, smem in ((a, a_smem), (b, b_smem)):
            ctx.async_copy(
                src_ref=matrix,
                dst_ref=smem,
                barrier=copied,
                swizzle=SWIZZLE,
                gmem_transform=mgpu.TileTransform(tiling),
            )
        ctx.async_copy(src_ref=metadata, dst_ref=metadata_smem, barrier=copied)
        copied.wait()

        # The tensor core runs what one thread issues in order, so nothing has to wait for the metadata's
        # copy.
        with mgpu.single_thread():
            tcgen05.async_copy_sparse_metadata_smem_to_tmem(metadata_smem, a_metadata)
            tcgen05.mma(
                acc,
                a_smem,
                mgpu.memref_transpose(b_smem, (1, 0, 3, 2)),
                a_swizzle=SWIZZLE,
                b_swizzle=SWIZZLE,
                a_sparse_metadata=a_metadata,
                accumulate=False,
            )
            tcgen05.commit_arrive(multiplied)
        multiplied.wait(orders_tensor_core=True)

        result = acc.load()
        tcgen05.wait_load_tmem()
        result.store_untiled(out, optimized=False)

    a_shape, b_shape = (M, k // 2), (N, k)
    metadata = jax.ShapeDtypeStruct((M // 128, k // 128, 128, 64), jnp.uint2)
    return mgpu.as_gpu_kernel(
        sparse_matmul,
        grid=(1, 1, 1),
        block=(128, 1, 1),
        in_shape=(jax.ShapeDtypeStruct(a_shape, dtype), jax.ShapeDtypeStruct(b_shape, dtype), metadata),
        out_shape=jax.ShapeDtypeStruct((M, N), jnp.float32),
        smem_scratch_shape=(
            jax.ShapeDtypeStruct(mgpu.tile_shape(a_shape, tiling), dtype),
            jax.ShapeDtypeStruct(mgpu.tile_shape(b_shape, tiling), dtype),
            metadata,
            mgpu.Barrier(arrival_count=3),
            mgpu.Barrier(arrival_count=1),
            mgpu.TMEM((M, N), jnp.float32),
            mgpu.TMEM((M, k // 2), jnp.uint2, layout=tcgen05.sparse_meta_layout()),
        ),
    )


def pack_metadata(positions: np.ndarray, dtype: Any) -> np.ndarray:
    """The metadata as the kernel takes it.

    `positions`, (M, k // 2), says where in its group of four each element of A belongs. The two of one group
    ascend: (0, 1), (0, 2), … (2, 3).
    """
    rows, columns = positions.shape
    if rows % 128 or columns % 64:
        raise ValueError(f"positions must be of whole 128x64 tiles, got {positions.shape}")
    if jnp.dtype(dtype).itemsize == 2:
        # In every 16x16 block, the upper right and the lower left quarter change places.
        quarters = positions.reshape(rows // 16, 2, 8, columns // 16, 2, 8)
        positions = quarters.swapaxes(1, 4).reshape(rows, columns)
    tiles = positions.reshape(rows // 128, 128, columns // 64, 64).swapaxes(1, 2)
    return tiles.astype(jnp.uint2)
