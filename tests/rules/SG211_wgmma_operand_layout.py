"""wgmma takes A from registers in one layout for each width of its dtype."""

from _twins import illegal, legal

import safegpu as mgpu

OUT = mgpu.GMEM((64, 64), mgpu.float32)
WRONG = "Unsupported A register array layout"


class S(mgpu.Scratch):
    a = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    b = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    plain = mgpu.SMEM((64, 64), mgpu.float16)
    bytes_a = mgpu.SMEM((64, 128), mgpu.float8_e4m3fn, swizzle=128)
    bytes_b = mgpu.SMEM((64, 128), mgpu.float8_e4m3fn, swizzle=128)


@legal(OUT, S, arch="sm_90a")
def by_width(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    acc = mgpu.WGMMAAccumulator.zero(64, 64)
    halves = mgpu.FragmentedArray.load_tiled(s.a, 128)
    acc = mgpu.wgmma(acc, halves, s.b)
    acc = mgpu.wgmma(acc, halves, s.b, swizzle=128)
    narrow = mgpu.FragmentedArray.load_tiled(s.bytes_a, 128, layout=mgpu.WGMMA_LAYOUT_8BIT)
    mgpu.wgmma(acc, narrow, mgpu.memref_transpose(s.bytes_b, (1, 0, 3, 2)), swizzle=128)


def generic[D: (mgpu.float16, mgpu.bfloat16)](
    a: mgpu.FragmentedArray[D, mgpu.layouts.WGMMA], b: mgpu.SmemRef[D]
) -> mgpu.WGMMAAccumulator[mgpu.float32]:
    return mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), a, b)


@illegal(OUT, S, arch="sm_90a", raises="Only arrays with tiled layouts can be sliced")
def strided(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    a = mgpu.FragmentedArray.load_strided(s.plain)
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), a, s.b)  # E: SG211


@illegal(OUT, S, arch="sm_90a", raises=WRONG)
def transposed(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    a = mgpu.FragmentedArray.load_tiled(s.a, 128).to_layout(mgpu.WGMMA_TRANSPOSED_LAYOUT)
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), a, s.b, swizzle=128)  # E: SG211


@illegal(OUT, S, arch="sm_90a", raises="")
def bytes_in_the_layout_of_halves(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    a = mgpu.FragmentedArray.load_tiled(s.bytes_a, 128)
    b = mgpu.memref_transpose(s.bytes_b, (1, 0, 3, 2))
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), a, b, swizzle=128)  # E: SG211


@illegal(OUT, S, arch="sm_90a", raises="")
def halves_in_the_layout_of_bytes(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    a = mgpu.FragmentedArray.load_tiled(s.a, 128, layout=mgpu.WGMMA_LAYOUT_8BIT, optimized=False)
    mgpu.wgmma(mgpu.WGMMAAccumulator.zero(64, 64), a, s.b, swizzle=128)  # E: SG211


@illegal(OUT, S, arch="sm_90a", raises="Only WGMMA layouts supported in WGMMAAccumulator")
def accumulator(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    tiled = mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (128, 64), mgpu.TCGEN05_LAYOUT)
    mgpu.WGMMAAccumulator.from_registers(tiled)  # E: SG211
