"""Raw Mosaic GPU, checked and never run. `# error` marks the lines that mypy must reject, and no other line may be."""

# ruff: noqa: F841

from __future__ import annotations

from typing import Any, assert_type

import jax
import jax.experimental.mosaic.gpu as mgpu
import jax.numpy as jnp
from jax.experimental.mosaic.gpu import fragmented_array as fa
from jax.experimental.mosaic.gpu import tcgen05, utils
from jax.experimental.mosaic.gpu.wgmma import WGMMAAccumulator
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import arith


def still_typed(spec: jax.ShapeDtypeStruct) -> None:
    """The rest of jax stays as it is."""
    assert_type(jnp.zeros((2,)), jax.Array)
    number: int = spec.no_such_attribute  # error


def memory(ctx: mgpu.LaunchContext, gmem: ir.Value, smem: ir.Value, barrier: mgpu.BarrierRef) -> None:
    """References are plain values, and go wherever a reference goes."""
    row = arith.muli(utils.block_idx(), mgpu.c(64, ir.IntegerType.get_signless(32)))
    ctx.async_copy(src_ref=gmem, dst_ref=smem, barrier=barrier, swizzle=128, gmem_slice=(mgpu.ds(0, 64), slice(None)))
    ctx.async_copy(
        src_ref=mgpu.memref_slice(smem, 0), dst_ref=gmem, swizzle=128, gmem_transform=mgpu.TileTransform((8, 64))
    )
    array = fa.FragmentedArray.load_tiled(smem, swizzle=128)
    array.astype(ir.F16Type.get()).store_tiled(mgpu.get_cluster_ref(smem, mgpu.utils.gpu.Dimension.x, row), swizzle=128)
    array.store_untiled(gmem, optimized=False)
    ctx.async_copy(src_ref=gmem, dst_ref=smem, barier=barrier)  # error
    ctx.async_copies(src_ref=gmem, dst_ref=smem)  # error
    array.store_tiles(smem, swizzle=128)  # error


def multimem(ctx: mgpu.LaunchContext, gmem: ir.Value, array: Any, barrier: mgpu.BarrierRef) -> None:
    everywhere = ctx.to_remote_multicast(gmem)
    x, other = utils.gpu.Dimension.x, mgpu.c(1, ir.IndexType.get())
    loaded = fa.FragmentedArray.load_reduce_untiled(everywhere, layout=fa.WGMMA_LAYOUT, reduction="add")
    loaded.store_untiled(everywhere, optimized=False)
    loaded.store_tiled(everywhere, swizzle=128, optimized=False)
    loaded.store_tiled_async(gmem, barrier, x, other, swizzle=128)
    loaded.store_tiled_async(everywhere, barrier, x, other, swizzle=128)  # error
    ctx.async_copy(src_ref=everywhere, dst_ref=gmem, barrier=barrier)  # error
    mgpu.memref_slice(everywhere, 0)  # error
    fa.FragmentedArray.load_reduce_untiled(everywhere, layout=fa.WGMMA_LAYOUT, reduction="mul")  # error


def tensor_memory(address: ir.Value, smem: ir.Value, handed: tcgen05.TMEMRef, array: mgpu.FragmentedArray) -> None:
    two_bits = ir.IntegerType.get_signless(2)
    meta = tcgen05.TMEMRef(address, (128, 64), two_bits, tcgen05.sparse_meta_layout())
    dense = tcgen05.TMEMRef(address, (128, 128), ir.F32Type.get(), tcgen05.tmem_default_layout())
    tcgen05.async_copy_sparse_metadata_smem_to_tmem(smem, meta)
    tcgen05.mma(dense, smem, smem, a_sparse_metadata=meta)
    dense.store(array)
    dense.load().store_untiled(smem, optimized=False)
    # What a TMEMRef holds is unknown where it is handed on as one.
    handed.store(array)
    handed.slice(slice(None), slice(0, 64)).load()
    tcgen05.mma(handed, smem, smem, a_sparse_metadata=handed)
    as_one: tcgen05.TMEMRef = dense
    meta.store(array)  # error
    meta.load()  # error
    tcgen05.mma(meta, smem, smem)  # error
    tcgen05.mma(dense, smem, smem, a_sparse_metadata=dense)  # error
    tcgen05.async_copy_sparse_metadata_smem_to_tmem(smem, dense)  # error


def registers(smem: ir.Value, array: mgpu.FragmentedArray) -> None:
    """Layouts are known without wrappers, and the dtype of what is made with one."""
    acc = WGMMAAccumulator.zero(64, 64)
    acc = mgpu.wgmma(acc, smem, smem, swizzle=128)
    rows = acc.value.reduce("add", 1)
    acc.value - rows.broadcast_in_dim((64, 64), (0,), fa.WGMMA_LAYOUT)
    acc.value + array
    acc.value + fa.FragmentedArray.load_strided(smem)  # error
    rows.store_tiled(smem, swizzle=128)
    fa.FragmentedArray.load_strided(smem).store_tiled(smem, swizzle=128)  # error
    mgpu.wgmma(acc, fa.FragmentedArray.load_strided(smem), smem, swizzle=128)  # error
    mgpu.thread_idx() + 1  # error


def body(ctx: mgpu.LaunchContext, a: ir.Value, out: ir.Value, scratch: Any) -> None: ...


def kernel() -> None:
    mgpu.as_gpu_kernel(
        body,
        grid=(1, 1, 1),
        block=(128, 1, 1),
        in_shape=(jax.ShapeDtypeStruct((64, 64), jnp.float16),),
        out_shape=jax.ShapeDtypeStruct((64, 64), jnp.float16),
        smem_scratch_shape=[mgpu.TMEM((128, 128), jnp.float32), mgpu.Barrier(1), mgpu.Union([mgpu.Barrier(1)])],
    )
    mgpu.as_gpu_kernel(body, (1, 1, 1), (128, 1, 1), (), (), (), gird=1)  # error
    mgpu.Barrier(1, num_bariers=2)  # error
    mgpu.TMEM((128, 128), jnp.float32, layout="dense")  # error
