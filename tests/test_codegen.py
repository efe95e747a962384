"""The examples lower on a CPU and compile without a GPU, to the instructions that they are about."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import re
from importlib import metadata
from typing import Any

import jax.experimental.mosaic.gpu as mgpu
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax.experimental.mosaic.gpu import core, utils

import safegpu
from examples import blackwell_matmul, blackwell_scaled_matmul, cluster_exchange, flash_attention
from safegpu.offline.devices import DEVICES
from safegpu.offline.lowering import lowered
from safegpu.offline.toolchain import is_available
from tests.raw import sparse_matmul
from tests.rules.generated.operation_cells import equality

THREADS = 128


@dataclasses.dataclass(frozen=True)
class Kernel:
    """How to build one kernel, and how often each instruction must occur in it."""

    target: str
    arch: str
    body: str
    ptx: dict[str, int]
    sass: dict[str, int]
    peers: int = 1
    keywords: tuple[tuple[str, Any], ...] = ()

    def build(self) -> Any:
        module, _, function = self.target.partition(":")
        return getattr(importlib.import_module(module), function)(**dict(self.keywords))

    def lowered(self) -> str:
        return lowered(self.build, DEVICES[self.arch].arch, peers=self.peers)

    @functools.cache  # noqa: B019
    def compiled(self) -> safegpu.Compiled:
        return safegpu.compile_kernel(self.build, arch=self.arch, peers=self.peers)

    def __hash__(self) -> int:
        return hash((self.target, self.arch, self.peers, self.keywords))


# Each thread sends its share of a tile four bytes at a time; a barrier that expects another sum of bytes
# hangs.
_EXCHANGED = cluster_exchange.ROWS * cluster_exchange.COLUMNS * 2 // 4 // THREADS
_REDUCED = cluster_exchange.ROWS * cluster_exchange.COLUMNS * 4 // 4 // THREADS
_MULTIMEM = 64 * 128 * 4 // 16 // THREADS

_MULTIMEM_PTX = {
    "multimem.ld_reduce.relaxed.sys.global.add.v4.f32": _MULTIMEM,
    "multimem.st.relaxed.sys.global.v4.f32": _MULTIMEM,
    "multimem.red.release.sys.global.add.u32": 1,
    "fence.proxy.alias": 1,
    "atom.relaxed.sys.global.cas.b32": 1,
    "fence.acquire.sys": 1,
}
# A multimem store and a multimem reduction are spelled like the ones to ordinary memory in SASS.
_MULTIMEM_SASS = {
    "LDGMC.E.ADD.F32x4.RN.STRONG.SYS": _MULTIMEM,
    "STG.E.128.STRONG.SYS": _MULTIMEM,
    "REDG.E.ADD.STRONG.SYS": 1,
    "ATOMG.E.CAS.STRONG.SYS": 1,
}


# How PTX says where a copy goes that is for its own block, and how it announces bytes: since jax 0.12, as the block's.
OWN_SMEM, ANNOUNCE = (
    ("shared::cluster", "mbarrier.arrive.expect_tx.shared.b64")
    if metadata.version("jax") == "0.11.2"
    else ("shared::cta", "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64")
)


def _hopper_matmul(wgmma: str, gmma: str, *, stores: int, ptx: dict[str, int], sass: dict[str, int]) -> dict[str, Any]:
    """What every Hopper matmul has: four products a step of 128 bytes along k, and its producer unrolled by two."""
    copy, multicast = (
        f"cp.async.bulk.tensor.4d.{where}.global.mbarrier::complete_tx::bytes"
        for where in (OWN_SMEM, "shared::cluster")
    )
    return {
        "arch": "sm_90a",
        "body": "hopper_matmul",
        "ptx": {
            f"wgmma.mma_async.sync.aligned.{wgmma}": 4,
            "wgmma.fence.sync.aligned": 1,
            "wgmma.wait_group.sync.aligned": 1,
            copy: 2,
            f"{multicast}.multicast::cluster": 2,
            "cp.async.bulk.tensor.4d.global.shared::cta.bulk_group": stores,
            "fence.proxy.async.shared::cta": stores,
            "setmaxnreg.dec.sync.aligned.u32": 1,
            "setmaxnreg.inc.sync.aligned.u32": 1,
            **ptx,
        },
        "sass": {
            gmma: 4,
            "WARPGROUP.DEPBAR.LE": 1,
            "UTMALDG.4D": 2,
            "UTMALDG.4D.MULTICAST": 2,
            "UTMASTG.4D": stores,
            "USETMAXREG.DEALLOC.CTAPOOL": 1,
            "USETMAXREG.TRY_ALLOC.CTAPOOL": 1,
            **sass,
        },
    }


FOUR = flash_attention.CONFIGS[64][0]


def _raw_attention(
    config: flash_attention.Config, dtype: str = "float16", keys: int = 4096
) -> tuple[tuple[str, Any], ...]:
    """What the example's twin, which lowers to the same bytes, is called with."""
    shape = {"batch": 1, "q_seq_len": 384, "kv_seq_len": keys, "num_q_heads": 4, "num_kv_heads": 2, "head_dim": 64}
    return tuple({**shape, "dtype": dtype, **dataclasses.asdict(config)}.items())


def _attention(
    head_dim: int,
    tma: str,
    loads: int,
    columns: int,
    sass: dict[str, int],
    *,
    keywords: tuple[tuple[str, Any], ...] = (),
) -> Kernel:
    """Warp-specialized: the first scores, a step's scores and results, and the last results, each waited for once.

    A thread has one exponential for two of the scores' `columns`, and two that say how its rows decay, before the loop
    and in it. The producer is unrolled by two.
    """
    return Kernel(
        target="tests.raw.flash_attention:build" if keywords else f"examples.flash_attention:head_dim_{head_dim}",
        arch="sm_90a",
        body="flash_attention",
        ptx={
            "wgmma.commit_group.sync.aligned": 4,
            "wgmma.wait_group.sync.aligned": 4,
            "setmaxnreg.dec.sync.aligned.u32": 1,
            "setmaxnreg.inc.sync.aligned.u32": 1,
        },
        sass={
            "MUFU.EX2": columns + 4,
            "WARPGROUP.DEPBAR.LE": 4,
            f"UTMALDG.{tma}": loads,
            f"UTMASTG.{tma}": 1,
            "USETMAXREG.DEALLOC.CTAPOOL": 1,
            "USETMAXREG.TRY_ALLOC.CTAPOOL": 1,
            **sass,
        },
        keywords=keywords,
    )


def _attention_of_four(loads: int, suffix: str = "", *, keywords: tuple[tuple[str, Any], ...] = ()) -> Kernel:
    """Not warp-specialized: a step's scores and results. Two of its `loads` are in the loop, the rest before it."""
    return Kernel(
        target="tests.raw.flash_attention:build" if keywords else "examples.flash_attention:head_dim_64",
        arch="sm_90a",
        body="flash_attention",
        ptx={
            "wgmma.commit_group.sync.aligned": 2,
            "wgmma.wait_group.sync.aligned": 2,
            "setmaxnreg.dec.sync.aligned.u32": 0,
            "setmaxnreg.inc.sync.aligned.u32": 0,
        },
        sass={
            f"HGMMA.64x128x16.F32{suffix}": 4,
            f"HGMMA.64x64x16.F32{suffix}": 8,
            "MUFU.EX2": 128 // 2 + 2,
            "WARPGROUP.DEPBAR.LE": 2,
            "UTMALDG.4D": loads,
            "UTMASTG.4D": 1,
        },
        keywords=keywords,
    )


def _all_gather(devices: int) -> tuple[dict[str, int], dict[str, int]]:
    """A tile is loaded in four places of the code and stored once for each device; a signal goes to each peer."""
    loads, peers = 4, devices - 1
    ptx = {
        f"cp.async.bulk.tensor.2d.{OWN_SMEM}.global.mbarrier::complete_tx::bytes": loads,
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group": devices,
        "cp.async.bulk.commit_group": devices,
        "cp.async.bulk.wait_group.read": 1,
        "cp.async.bulk.wait_group": 1,
        "red.release.sys.global.add.u32": peers,
        "atom.relaxed.sys.global.cas.b32": min(peers, 1),
        "fence.acquire.sys": min(peers, 1),
    }
    sass = {
        "UTMALDG.2D": loads,
        "UTMASTG.2D": devices,
        "REDG.E.ADD.STRONG.SYS": peers,
        "ATOMG.E.CAS.STRONG.SYS": min(peers, 1),
    }
    return ptx, sass


KERNELS = {
    "attention 64": _attention_of_four(1 + 3 * 2),
    "attention 64 bf16": _attention_of_four(1 + 3 * 2, ".BF16", keywords=_raw_attention(FOUR, "bfloat16")),
    "attention 64 of one step": _attention_of_four(1 + 2, keywords=_raw_attention(FOUR, keys=128)),
    "attention 64 warp-specialized": _attention(
        64,
        "4D",
        3 + 4,
        128,
        {"HGMMA.64x128x16.F32": 2 * 4, "HGMMA.64x64x16.F32": 2 * 8},
        keywords=_raw_attention(flash_attention.Config(128, consumers=3)),
    ),
    "attention 128": _attention(128, "5D", 2 + 4, 192, {"HGMMA.64x192x16.F32": 2 * 8, "HGMMA.64x128x16.F32": 2 * 12}),
    "attention 256": _attention(256, "5D", 2 + 4, 64, {"HGMMA.64x64x16.F32": 2 * 16, "HGMMA.64x256x16.F32": 2 * 4}),
    "Hopper matmul f16": Kernel(
        target="examples.hopper_matmul:float16",
        **_hopper_matmul(
            "m64n256k16.f32.f16.f16",
            "HGMMA.64x256x16.F32",
            stores=4,
            ptx={"stmatrix.sync.aligned.m8n8.x4.shared.b16": 16},
            sass={"F2FP.F16.F32.PACK_AB": 64, "STSM.16.M88.4": 16},
        ),
    ),
    "Hopper matmul bf16": Kernel(
        target="examples.hopper_matmul:bfloat16",
        **_hopper_matmul("m64n256k16.f32.bf16.bf16", "HGMMA.64x256x16.F32.BF16", stores=8, ptx={}, sass={"STS.64": 64}),
    ),
    "Hopper matmul f8": Kernel(
        target="examples.hopper_matmul:float8",
        **_hopper_matmul(
            "m64n256k32.f32.e4m3.e4m3",
            "QGMMA.64x256x32.F32.E4M3.E4M3",
            stores=4,
            ptx={"stmatrix.sync.aligned.m8n8.x4.shared.b16": 16},
            sass={"F2FP.F16.F32.PACK_AB": 64, "STSM.16.M88.4": 16},
        ),
    ),
    "exchange": Kernel(
        target="examples.cluster_exchange:exchange",
        arch="sm_90a",
        body="cluster_exchange",
        ptx={
            "st.async.cluster.shared::cluster.mbarrier::complete_tx::bytes.b32": _EXCHANGED,
            ANNOUNCE: 1,
        },
        sass={"STAS": _EXCHANGED, "UCGABAR_WAIT": 1},
    ),
    "reduce": Kernel(
        target="examples.cluster_exchange:reduce",
        arch="sm_90a",
        body="cluster_reduce",
        ptx={
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.s32": _REDUCED,
            ANNOUNCE: 1,
            "mbarrier.arrive.shared::cluster.b64": 1,
        },
        sass={"REDAS.ADD.S32": _REDUCED, "SYNCS.ARRIVE.TRANS64.RED.A1T0": 1},
    ),
    "sparse f16": Kernel(
        target="examples.sparse_matmul:float16",
        arch="sm_100a",
        body="sparse_matmul",
        ptx={
            "tcgen05.mma.sp.cta_group::1.kind::f16": 8,
            "tcgen05.cp.cta_group::1.128x128b": 2,
            "tcgen05.fence::after_thread_sync": 1,
            "tcgen05.wait::ld.sync.aligned": 1,
        },
        # The mnemonic is the dense one; a dense product of this K takes 16.
        sass={"UTCHMMA": 8, "UTCCP.T.S.128dp128bit": 2, "UTCBAR": 1},
    ),
    "sparse f8": Kernel(
        target="examples.sparse_matmul:float8",
        arch="sm_100a",
        body="sparse_matmul",
        ptx={"tcgen05.mma.sp.cta_group::1.kind::f8f6f4": 4, "tcgen05.cp.cta_group::1.128x128b": 2},
        sass={"UTCQMMA": 4, "UTCCP.T.S.128dp128bit": 2, "UTCBAR": 1},
    ),
    "matmul f16": Kernel(
        target="examples.blackwell_matmul:float16",
        arch="sm_100a",
        body="blackwell_matmul",
        ptx={
            "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32": 1,
            "tcgen05.mma.cta_group::2.kind::f16": 4,
            "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64": 2,
            "tcgen05.ld.sync.aligned.16x256b.x8.b32": 8,
            "tcgen05.wait::ld.sync.aligned": 4,
            "tcgen05.fence::before_thread_sync": 1,
            "mbarrier.arrive.shared::cluster.b64": 1,
            "cp.async.bulk.tensor.4d.global.shared::cta.bulk_group": 4,
        },
        # The copies of A and B are there twice: while the ring fills, and after.
        sass={
            "UTCHMMA.2CTA": 4,
            "UTMALDG.4D.2CTA": 4,
            "UTCBAR.2CTA.MULTICAST": 2,
            "LDTM.16dp256bit.x8": 8,
            "UTMASTG.4D": 4,
        },
    ),
    "matmul bf16 to f32": Kernel(
        target="examples.blackwell_matmul:bfloat16",
        arch="sm_100a",
        body="blackwell_matmul",
        ptx={"tcgen05.mma.cta_group::2.kind::f16": 4, "tcgen05.ld.sync.aligned.16x256b.x4.b32": 16},
        sass={"UTCHMMA.2CTA": 4, "UTMALDG.4D.2CTA": 4, "LDTM.16dp256bit.x4": 16, "UTMASTG.4D": 8},
    ),
    "matmul f8": Kernel(
        target="examples.blackwell_matmul:float8",
        arch="sm_100a",
        body="blackwell_matmul",
        ptx={"tcgen05.mma.cta_group::2.kind::f8f6f4": 4},
        sass={"UTCQMMA.2CTA": 4, "UTMALDG.4D.2CTA": 4},
    ),
    # One step of 128 bytes is four MMAs; A has one tile of scales for each 128 columns of them, B two.
    "scaled mxfp8": Kernel(
        target="examples.blackwell_scaled_matmul:mxfp8",
        arch="sm_100a",
        body="blackwell_scaled_matmul",
        ptx={
            "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X": 4,
            "tcgen05.cp.cta_group::1.32x128b.warpx4": 3,
            "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64": 2,
            "tcgen05.fence::after_thread_sync": 1,
            "tcgen05.wait::ld.sync.aligned": 8,
        },
        sass={"UTCQMMA": 4, "UTCCP.T.S.4x32dp128bit": 3, "UTCBAR": 2, "LDTM.16dp256bit.x4": 16, "UTMASTG.4D": 8},
    ),
    "scaled mxfp4": Kernel(
        target="examples.blackwell_scaled_matmul:mxfp4",
        arch="sm_100a",
        body="blackwell_scaled_matmul",
        ptx={
            "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::2X": 4,
            "tcgen05.cp.cta_group::1.32x128b.warpx4": 6,
        },
        sass={"UTCOMMA": 4, "UTCCP.T.S.4x32dp128bit": 6, "UTCBAR": 2},
    ),
    "scaled nvfp4": Kernel(
        target="examples.blackwell_scaled_matmul:nvfp4",
        arch="sm_100a",
        body="blackwell_scaled_matmul",
        ptx={
            "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X": 4,
            "tcgen05.cp.cta_group::1.32x128b.warpx4": 12,
        },
        sass={"UTCOMMA.4X": 4, "UTCCP.T.S.4x32dp128bit": 12, "UTCBAR": 2},
    ),
    "multimem Hopper": Kernel(
        target="examples.multimem_all_reduce:kernel",
        arch="sm_90a",
        body="multimem_all_reduce",
        ptx=_MULTIMEM_PTX,
        sass=_MULTIMEM_SASS,
        peers=2,
    ),
    "multimem Blackwell": Kernel(
        target="examples.multimem_all_reduce:kernel",
        arch="sm_100a",
        body="multimem_all_reduce",
        ptx=_MULTIMEM_PTX,
        sass=_MULTIMEM_SASS,
        peers=2,
    ),
    **{
        f"all-gather of {devices}, {arch}": Kernel(
            target="examples.all_gather:kernel",
            arch=arch,
            body="all_gather",
            ptx=_all_gather(devices)[0],
            sass=_all_gather(devices)[1],
            peers=devices,
            keywords=(("devices", devices),),
        )
        for devices, arch in ((1, "sm_90a"), (2, "sm_90a"), (2, "sm_100a"), (4, "sm_90a"))
    },
}

every_kernel = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
needs_codegen = pytest.mark.skipif(not is_available(), reason="needs the CUDA plugin, ptxas and nvdisasm")


@every_kernel
def test_lowers(kernel: Kernel) -> None:
    text = kernel.lowered()
    major, minor = DEVICES[kernel.arch].arch
    assert f"@{kernel.body}_mosaic_gpu" in text
    assert f"mosaic_gpu.arch_major = {major} : i32, mosaic_gpu.arch_minor = {minor} : i32" in text
    assert text == kernel.lowered()


@needs_codegen
@every_kernel
def test_compiles(kernel: Kernel) -> None:
    compiled = kernel.compiled()
    assert compiled.spill_store_bytes == compiled.spill_load_bytes == compiled.stack_frame_bytes == 0
    assert compiled.warnings == []
    assert (compiled.name, compiled.arch, compiled.peers) == (kernel.body, kernel.arch, kernel.peers)
    assert compiled.ptx_count(*kernel.ptx) == kernel.ptx
    assert compiled.sass_count(*kernel.sass) == kernel.sass


@needs_codegen
@pytest.mark.parametrize("name", ["sparse f16", "sparse f8"])
def test_instruction_descriptor_says_sparse(name: str) -> None:
    descriptors = re.findall(r"UMOV UR\d+, 0x(8[0-9a-f]{6})\b", KERNELS[name].compiled().sass)
    assert descriptors
    assert all(int(descriptor, 16) & 1 << 2 for descriptor in descriptors)


@pytest.mark.parametrize("dtype", ["float16", "float8_e4m3fn"])
def test_packed_metadata_keeps_every_position(dtype: str) -> None:
    positions = np.random.default_rng(0).integers(0, 4, (128, 128))
    packed = sparse_matmul.pack_metadata(positions, dtype).astype(int)
    assert packed.shape == (1, 2, 128, 64)
    if dtype == "float8_e4m3fn":
        np.testing.assert_array_equal(packed[0, 1], positions[:, 64:])
    else:
        np.testing.assert_array_equal(packed[0, 0, :8, :8], positions[:8, :8])
        np.testing.assert_array_equal(packed[0, 0, :8, 8:16], positions[8:16, :8])
        np.testing.assert_array_equal(packed[0, 0, 8:16, :8], positions[:8, 8:16])
        np.testing.assert_array_equal(packed[0, 0, 8:16, 8:16], positions[8:16, 8:16])


def test_packed_metadata_is_of_whole_tiles() -> None:
    with pytest.raises(ValueError, match="whole 128x64 tiles, got \\(64, 64\\)"):
        sparse_matmul.pack_metadata(np.zeros((64, 64), int), "float16")


@pytest.mark.parametrize("dtype", [ml_dtypes.float8_e8m0fnu, ml_dtypes.float8_e4m3fn], ids=lambda dtype: dtype.__name__)
def test_packed_scales_lie_where_the_tensor_core_reads_them(dtype: Any) -> None:
    scales = np.random.default_rng(0).integers(0, 256, (256, 24), np.uint8).view(dtype)
    packed = blackwell_scaled_matmul.pack_scales(scales)
    assert packed.shape == (2, 6, 32, 16)
    of_jax = jnp.asarray(scales)
    # As in jax's tests of block-scaled MMAs.
    tiles = of_jax.reshape(256 // 128, 4, 32, 24 // 4, 4).transpose(0, 3, 2, 1, 4).reshape(256 // 128, 24 // 4, 32, 16)
    bits = packed.view(np.uint8)
    np.testing.assert_array_equal(bits, np.asarray(tiles).view(np.uint8))
    np.testing.assert_array_equal(bits, np.asarray(blackwell_scaled_matmul.pack_scales(of_jax)).view(np.uint8))
    for row, column in np.ndindex(scales.shape):
        place = row // 128, column // 4, row % 32, row % 128 // 32 * 4 + column % 4
        assert bits[place] == scales.view(np.uint8)[row, column]


@pytest.mark.parametrize("shape", [(64, 8), (128, 6)])
def test_packed_scales_are_of_whole_tiles(shape: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=re.escape(f"whole 128x4 tiles, got {shape}")):
        blackwell_scaled_matmul.pack_scales(np.zeros(shape))


def test_matmuls_say_what_sizes_they_take() -> None:
    with pytest.raises(ValueError, match=r"multiples of 256, and k a multiple of 64 from 384 on, got m=256, n=128, k="):
        blackwell_matmul.kernel(safegpu.float16, safegpu.float16, 256, 128, 512)
    with pytest.raises(ValueError, match="k a multiple of 128 from 768 on, got m=256, n=256, k=640"):
        blackwell_matmul.kernel(safegpu.float8_e5m2, safegpu.float16, 256, 256, 640)
    with pytest.raises(ValueError, match="must be multiples of 128, 256 and 256, got m=128, n=256, k=128"):
        blackwell_scaled_matmul.kernel(
            safegpu.float4_e2m1fn,
            safegpu.float8_e4m3fn,
            16,
            blackwell_scaled_matmul.multiply_float4,
            safegpu.float16,
            128,
            256,
            128,
        )


def test_oracle_passes_exceptions_on_and_leaves_no_patch() -> None:
    before = utils._infer_arch, core._kernel_to_module

    def body(*_: Any) -> None:
        raise LookupError("from the body")

    with pytest.raises(LookupError, match="from the body"):
        lowered(lambda: mgpu.as_gpu_kernel(body, (1, 1, 1), (128, 1, 1), (), (), ()), (10, 0))
    assert (utils._infer_arch, core._kernel_to_module) == before


def test_oracle_wants_one_kernel() -> None:
    with pytest.raises(ValueError, match="exactly once, but it lowered 0 kernels"):
        lowered(lambda: None)


@needs_codegen
@pytest.mark.parametrize("dtype", ["float4_e2m1fn", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu"])
def test_narrow_floats_are_not_compared(dtype: str) -> None:
    """Mosaic GPU lowers the comparison (SG309), for which LLVM has no type."""
    with pytest.raises(safegpu.CompileError, match="LLVM Translation failed"):
        safegpu.compile_kernel(lambda: equality(dtype), arch="sm_100a")


@needs_codegen
def test_wide_floats_are_compared() -> None:
    safegpu.compile_kernel(lambda: equality("float16"), arch="sm_100a")
