"""A store to several row tiles of tensor memory is one store; a load reads one row tile at a time."""

from typing import Any

from _twins import illegal, legal

import safegpu as mgpu
from safegpu import layouts as ll
from safegpu import tcgen05

ONE_AT_A_TIME = "Loading multiple row tiles"
OUT = mgpu.GMEM((128, 64), mgpu.float32)


class S(mgpu.Scratch):
    tile = mgpu.TMEM((128, 64), mgpu.float32, layout=tcgen05.tmem_default_layout())
    rows = mgpu.TMEM((256, 64), mgpu.float32, layout=tcgen05.tmem_default_layout())
    more = mgpu.TMEM((384, 32), mgpu.bfloat16, layout=tcgen05.tmem_default_layout(2))


def anything(value: Any) -> Any:
    return value


@legal(OUT, S)
def one_tile(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.tile.load().store_untiled(o, optimized=False)


@legal(OUT, S)
def store_to_all(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.rows.store(mgpu.FragmentedArray.splat(mgpu.c(0.0, mgpu.float32), (256, 64), mgpu.TCGEN05_LAYOUT))


@illegal(OUT, S, raises=ONE_AT_A_TIME)
def all_at_once(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.rows.load()  # E: SG204


@illegal(OUT, S, raises=ONE_AT_A_TIME)
def three_tiles_of_halves(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.more.load(mgpu.TCGEN05_LAYOUT)  # E: SG204


@illegal(OUT, S, raises=ONE_AT_A_TIME)
def any_layout(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    s.rows.load(anything(mgpu.TMEM_NATIVE_LAYOUT))  # E: SG204


def read(ref: tcgen05.DenseTMEM[Any, ll.TMEM_ROW_TILES_32BIT], layout) -> Any:
    return ref.load(layout)  # E: SG204


@illegal(OUT, S, raises=ONE_AT_A_TIME)
def helper(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: S) -> None:
    read(s.rows, mgpu.TCGEN05_LAYOUT)
