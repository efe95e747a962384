"""From what mypy complains about to the rule: data alone.

A receiver that forbids a call altogether needs no row here: the name of its `SGnnn_advice: Never` keyword, a
marker, carries the code.
"""

from typing import NamedTuple

ANY = "*"

_STORES = "FragmentedArray.store_untiled | FragmentedArray.store_tiled | FragmentedArray.store_tiled_async"
_VIEWS = "memref_slice | memref_transpose | memref_unfold | memref_unsqueeze"
_VIEWS_OF_ANY = f"{_VIEWS} | memref_reshape | memref_fold"
_REMOTE = "LaunchContext.to_remote | LaunchContext.to_remote_multicast | get_cluster_ref"
_WRAPS = "GmemRef.wrap | SmemRef.wrap | ClusterSmemRef.wrap"
_COPIES = "LaunchContext.async_copy | copy_tiled | async_copy_smem_to_tmem | async_copy_scales_smem_to_tmem"
_ARITHMETIC = (
    "operator | FragmentedArray.__setitem__ | FragmentedArray.select | FragmentedArray.max"
    " | FragmentedArray.min | FragmentedArray.copysign | FragmentedArray.atan2 | FragmentedArray.trunc_div"
)
_REFERENCE = (
    "GmemRef | SmemRef | ClusterSmemRef | MultimemRef | TMEMRef | DenseTMEM | SparseMetaTMEM | ScalesTMEM"
    " | Value | OpResult | BlockArgument"
)
_NOT_METADATA = _REFERENCE.replace(" | SparseMetaTMEM", "")
_BARRIERS = "BarrierArray | CollectiveBarrierArray"
_OF_ONE_BARRIER = (
    "arrive | arrive_expect_tx | complete_tx | get_ptr | remap_to_cluster | test | test_parity | wait | wait_parity"
)


class Row(NamedTuple):
    """A complaint that meets every condition is the rule's; the first row that matches decides."""

    rule: str
    call: str
    """The callables, as mypy names them: `Class.method`, `function`, or `operator`."""
    parameter: str
    """Parameters; `~D` for the type variable `D`, `()` for arguments that are wrong only in combination."""
    differs: str = ""
    """What of the argument is not as expected: `space`, `barrier`, `class`, or a type argument's name."""
    got: str = ""
    """A type that the argument must be."""
    expected: str = ""
    """A type that the parameter must be."""


_ASYNC_STORE = "FragmentedArray.store_tiled_async"
_LOAD_REDUCE = "FragmentedArray.load_reduce_untiled"
_M64 = "DenseTMEM[Any, M64Accumulator]"
_M128 = "DenseTMEM[Any, M128Accumulator]"
_COPY_METADATA = "async_copy_sparse_metadata_smem_to_tmem"

ROWS = (
    # memory spaces
    Row("SG103", _ASYNC_STORE, "ref", got="MultimemRef"),
    Row("SG104", _ASYNC_STORE, "ref", got="GmemRef | ClusterSmemRef"),
    Row("SG105", "FragmentedArray.store_untiled", "ref", differs="space", got="MultimemRef"),
    Row("SG106", "mma", "d | a", got="SparseMetaTMEM | ScalesTMEM"),
    Row("SG107", "mma", "a_sparse_metadata", got=_NOT_METADATA),
    Row("SG107", _COPY_METADATA, "tmem_ref", differs="space"),
    Row("SG108", _VIEWS, "ref", got="MultimemRef"),
    Row("SG109", _WRAPS, "raw", got="MultimemRef | TMEMRef | DenseTMEM | SparseMetaTMEM | ScalesTMEM"),
    Row("SG109", ANY, ANY, differs="space"),
    # barriers
    Row("SG401", ANY, ANY, differs="barrier", got=_BARRIERS),
    Row("SG401", "LaunchContext.async_copy", ANY, got=_BARRIERS),
    Row("SG401", "attribute", _OF_ONE_BARRIER, got=_BARRIERS),
    # tensor memory and registers, in the order in which Mosaic GPU looks: dtype, then layout
    Row("SG301", "DenseTMEM.store | ScalesTMEM.store", "value", differs="dtype"),
    Row("SG301", "DenseTMEM.store | ScalesTMEM.store", "~D"),
    Row("SG201", "DenseTMEM.store | ScalesTMEM.store", "value", differs="layout"),
    Row("SG201", "DenseTMEM.store | ScalesTMEM.store", "~L"),
    Row("SG208", "DenseTMEM.load | ScalesTMEM.load", "reduce"),
    Row("SG208", "DenseTMEM.load | ScalesTMEM.load", ANY, got="str | Literal"),
    Row("SG202", "DenseTMEM.load | ScalesTMEM.load", "layout", differs="layout"),
    Row("SG202", "DenseTMEM.load | ScalesTMEM.load", "layout", got="WGStridedFragLayout | WGSplatFragLayout"),
    # stores to memory
    Row("SG302", _STORES, "ref", differs="dtype"),
    Row("SG302", _STORES, "~D"),
    Row("SG306", _ASYNC_STORE, "atomic", expected="None"),
    Row("SG306", _ASYNC_STORE, "~I"),
    Row("SG206", "FragmentedArray.store_untiled | FragmentedArray.store_tiled", "atomic", expected="None"),
    Row("SG302", _STORES, "()"),
    # mypy blames the call that makes the reference when it stands among the arguments of the store
    Row("SG302", f"{_VIEWS_OF_ANY} | {_REMOTE}", "ref", differs="dtype"),
    # reductions on the way from multimem
    Row("SG208", _LOAD_REDUCE, "layout", got="WGSplatFragLayout | FragmentedLayout[Splat]"),
    Row("SG208", _LOAD_REDUCE, "~L"),
    Row("SG306", _LOAD_REDUCE, "reduction | ~F | ~I | ()"),
    Row("SG306", _LOAD_REDUCE, "ref", differs="dtype"),
    # arithmetic: Mosaic GPU looks at the layouts first
    Row("SG207", _ARITHMETIC, ANY, differs="layout"),
    Row("SG305", _ARITHMETIC, ANY, differs="dtype"),
    Row("SG305", _ARITHMETIC, "~D | ()"),
    # the tensor core
    Row("SG801", "mma", "d", differs="layout", got=_M64, expected=_M128),
    Row("SG000", "mma", "d | a", differs="layout"),
    Row("SG303", "mma | wgmma", ANY, differs="dtype"),
    Row("SG303", "mma | wgmma", "~A | ~B | ~C | ~D | ~F | ~I | ~S | ()"),
    Row("SG304", _COPY_METADATA, "smem_ref", differs="dtype"),
    Row("SG304", _COPY_METADATA, "~D"),
    Row("SG304", "TMEM | TMEMRef.from_alloc", ANY, got="TMEMLayout[TMEM_SPARSE_META]"),
    # copies
    Row("SG307", _COPIES, "src | dst | src_ref | dst_ref | smem_ref | tmem_ref", differs="dtype"),
    Row("SG307", _COPIES, "~D"),
    # swizzles
    Row("SG701", ANY, ANY, differs="swizzle"),
    Row("SG701", ANY, "~Swizzle"),
    # specs
    Row("SG802", "as_gpu_kernel", "body | in_shape | out_shape | smem_scratch_shape | inout_shape | ()"),
    Row("SG802", "as_gpu_kernel", "~I | ~O | ~O1 | ~O2 | ~O3 | ~O4 | ~S"),
)

_ASYNC_STORE_PARAMETERS = (
    "ref: SmemRef, barrier: BarrierRef, cluster_dim: Any, cluster_idx: Any, swizzle: Any,"
    " optimized?: Any, tiling_rank?: Any, atomic?: Any"
)
_MMA = "d: DenseTMEM, a: SmemRef | DenseTMEM, b: SmemRef"
_LOADABLE = "ref: GmemRef | SmemRef | ClusterSmemRef"
_STORABLE = "ref: GmemRef | SmemRef | ClusterSmemRef | MultimemRef"

SIGNATURES = {
    "DenseTMEM.store": ("value: FragmentedArray",),
    "ScalesTMEM.store": ("value: FragmentedArray",),
    "DenseTMEM.load": ("layout?: TiledLayout, is_signed?: Any, reduce?: Any",),
    "ScalesTMEM.load": ("layout?: TiledLayout, is_signed?: Any, reduce?: Any",),
    "FragmentedArray.store_untiled": (_STORABLE,),
    "FragmentedArray.store_tiled": (f"{_STORABLE}, swizzle: Any, optimized?: Any, tiling_rank?: Any, atomic?: Any",),
    "FragmentedArray.store_tiled_async": (_ASYNC_STORE_PARAMETERS,),
    "FragmentedArray.load_tiled": (f"{_LOADABLE}, swizzle: Any",),
    "FragmentedArray.load_reduce_untiled": (
        "ref: MultimemRef, layout: TiledLayout | WGStridedFragLayout, reduction: Any",
    ),
    "FragmentedArray.max": ("other: FragmentedArray",),
    "FragmentedArray.min": ("other: FragmentedArray",),
    "FragmentedArray.copysign": ("other: FragmentedArray",),
    "FragmentedArray.atan2": ("other: FragmentedArray",),
    "FragmentedArray.trunc_div": ("other: FragmentedArray",),
    "GmemRef.wrap": ("raw: Value",),
    "SmemRef.wrap": ("raw: Value",),
    "ClusterSmemRef.wrap": ("raw: Value",),
    "LaunchContext.to_remote": ("ref: GmemRef",),
    "LaunchContext.to_remote_multicast": ("ref: GmemRef",),
    "get_cluster_ref": ("ref: SmemRef",),
    "memref_slice": (_LOADABLE,),
    "memref_transpose": (_LOADABLE,),
    "memref_unfold": (_LOADABLE,),
    "memref_unsqueeze": (_LOADABLE,),
    "memref_reshape": (_STORABLE,),
    "memref_fold": (_STORABLE,),
    "mma": (
        f"{_MMA}, *, a_sparse_metadata: SparseMetaTMEM",
        _MMA,
        f"{_MMA}, *, a_scale: ScalesTMEM, b_scale: ScalesTMEM",
        f"{_MMA}, *, a_scale: ScalesTMEM, b_scale: ScalesTMEM, a_sparse_metadata: SparseMetaTMEM",
    ),
    "wgmma": ("acc: WGMMAAccumulator, a: SmemRef | FragmentedArray, b: SmemRef",),
    "async_copy_sparse_metadata_smem_to_tmem": ("smem_ref: SmemRef, tmem_ref: SparseMetaTMEM",),
    "async_copy_scales_smem_to_tmem": ("smem_ref: SmemRef, tmem_ref: ScalesTMEM",),
    "async_copy_smem_to_tmem": ("smem_ref: SmemRef, tmem_ref: DenseTMEM",),
    "LaunchContext.async_copy": (
        "*, src_ref: GmemRef, dst_ref: SmemRef, barrier?: BarrierRef",
        "*, src_ref: SmemRef, dst_ref: GmemRef",
    ),
    "copy_tiled": (
        "src: GmemRef, dst: SmemRef, swizzle: Any",
        "src: SmemRef, dst: GmemRef, swizzle: Any",
    ),
    "as_gpu_kernel": ("body: Any, grid: Any, block: Any, in_shape: Any, out_shape: Any, smem_scratch_shape: Any",),
}
"""The parameters that matter of each callable, and the classes that they take.

mypy names an argument by its position, and says of overloaded callables only which types it got. One entry
for each combination of classes, the likelier first; `?` marks a parameter that may be left out.
"""
