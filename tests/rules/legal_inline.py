"""Calls among the arguments of others: what the outer call expects never makes the inner one's result unknown.

A checker infers type parameters of an inner call from where its result goes. The inner call must not then fall to an
overload for what is not known.
"""

from typing import Literal

from _twins import legal

import safegpu as mgpu
from safegpu import tcgen05

OUT = mgpu.GMEM((128, 128), mgpu.float32)


class S(mgpu.Scratch):
    acc = mgpu.TMEM((128, 128), mgpu.float32)


def f32[L](layout: mgpu.FragmentedLayout[L]) -> mgpu.FragmentedArray[mgpu.float32, L]:
    return mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (128, 128), layout)


@legal(OUT, S)
def inline(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.acc.store(f32(mgpu.TCGEN05_LAYOUT).astype(mgpu.float16).astype(mgpu.float32))
    s.acc.store(mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (128, 128), mgpu.TCGEN05_LAYOUT))
    s.acc.store(f32(mgpu.TCGEN05_TRANSPOSED_LAYOUT).to_layout(mgpu.TCGEN05_LAYOUT))
    tcgen05.commit_tmem()
    s.acc.store(s.acc.load(mgpu.TMEM_NATIVE_LAYOUT))
    tcgen05.commit_tmem()
    s.acc.load().store_untiled(mgpu.GmemRef.wrap(o, mgpu.float32), optimized=False)
    s.acc.load().astype(mgpu.float16).astype(mgpu.float32).store_untiled(
        mgpu.memref_slice(o, slice(0, 128)), optimized=False
    )


@legal(arch="sm_90a")
def annotated_specs() -> None:
    _out: mgpu.GmemRef[mgpu.float16] = mgpu.GMEM((64, 64), mgpu.float16)
    _wide: mgpu.SmemRef[mgpu.float16, Literal[128]] = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
    _acc: mgpu.DenseTMEM[mgpu.float16, mgpu.layouts.TMEM_DEFAULT_16BIT_PACKED] = mgpu.TMEM(
        (128, 64), mgpu.float16, layout=tcgen05.tmem_default_layout(2)
    )
