"""A multimem reference has no views of its own: take the view of the global reference, then the multicast of it."""

from typing import Any

from _twins import illegal, legal

import safegpu as mgpu

NOT_A_VALUE = "must be a Value (is not a Value)"
OUT = mgpu.GMEM((64, 64), mgpu.float32)


@legal(OUT, (), arch="sm_90a", peers=2)
def multimem_of_views(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    ctx.to_remote_multicast(mgpu.memref_slice(o, (slice(0, 32), slice(None))))
    ctx.to_remote_multicast(mgpu.memref_slice(o, mgpu.ds(mgpu.block_id(mgpu.Dimension.x), 1)))
    ctx.to_remote_multicast(mgpu.memref_transpose(o, (1, 0)))
    ctx.to_remote_multicast(mgpu.memref_unfold(o, 0, (2, None)))
    ctx.to_remote_multicast(mgpu.memref_unsqueeze(o, 0))


@legal(OUT, (), arch="sm_90a", peers=2)
def views_that_keep_all_of_it(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    everywhere = ctx.to_remote_multicast(o)
    folded: mgpu.MultimemRef[mgpu.float32] = mgpu.memref_fold(everywhere, 0, 2)
    reshaped: mgpu.MultimemRef[mgpu.float32] = mgpu.memref_reshape(everywhere, (32, 128))
    mgpu.FragmentedArray.load_reduce_untiled(everywhere, mgpu.WGMMA_LAYOUT, "add").store_untiled(
        everywhere, optimized=False
    )


@illegal(OUT, (), arch="sm_90a", peers=2, raises=NOT_A_VALUE)
def slice_of_multimem(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    mgpu.memref_slice(ctx.to_remote_multicast(o), 0)  # E: SG108


@illegal(OUT, (), arch="sm_90a", peers=2, raises=NOT_A_VALUE)
def transpose_of_multimem(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    mgpu.memref_transpose(ctx.to_remote_multicast(o), (1, 0))  # E: SG108


@illegal(OUT, (), arch="sm_90a", peers=2, raises=NOT_A_VALUE)
def unfold_of_multimem(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    mgpu.memref_unfold(ctx.to_remote_multicast(o), 0, (2, 32))  # E: SG108


@illegal(OUT, (), arch="sm_90a", peers=2, raises=NOT_A_VALUE)
def unsqueeze_of_multimem(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    mgpu.utils.memref_unsqueeze(ctx.to_remote_multicast(o), 0)  # E: SG108


def first_row(ref: mgpu.MultimemRef, row: Any) -> Any:
    return mgpu.memref_slice(ref, row)  # E: SG108


@illegal(OUT, (), arch="sm_90a", peers=2, raises=NOT_A_VALUE)
def helper(ctx: mgpu.LaunchContext, o: mgpu.GmemRef[mgpu.float32], s: tuple[()]) -> None:
    first_row(ctx.to_remote_multicast(o), 0)
