"""From what mypy complains about to the rule: data alone.

A receiver that forbids a call altogether needs no row here: the name of its `SGnnn_advice: Never` keyword, a
marker, carries the code.
"""

from typing import NamedTuple

from safegpu.check.compare import LAYOUTS, RAW, REFERENCES

ANY = "*"

_STORES = "FragmentedArray.store_untiled | FragmentedArray.store_tiled | FragmentedArray.store_tiled_async"
_VIEWS = "memref_slice | memref_transpose | memref_unfold | memref_unsqueeze"
_VIEWS_OF_ANY = f"{_VIEWS} | memref_reshape | memref_fold"
_REMOTE = "LaunchContext.to_remote | LaunchContext.to_remote_multicast | get_cluster_ref"
_WRAPS = "GmemRef.wrap | SmemRef.wrap | ClusterSmemRef.wrap"
_NO_VALUES = "MultimemRef | TMEMRef | DenseTMEM | SparseMetaTMEM | ScalesTMEM"
_COPIES = (
    "LaunchContext.async_copy | LaunchContext.async_copy_im2col | copy_tiled"
    " | async_copy_smem_to_tmem | async_copy_scales_smem_to_tmem"
)
_ARITHMETIC = (
    "operator | FragmentedArray.__setitem__ | FragmentedArray.select | FragmentedArray.max"
    " | FragmentedArray.min | FragmentedArray.copysign | FragmentedArray.atan2 | FragmentedArray.trunc_div"
)
_NOT_METADATA = " | ".join(sorted((REFERENCES | RAW) - {"SparseMetaTMEM"}))
_BARRIERS = "BarrierArray | CollectiveBarrierArray | CtaBarrierArray"
_COLLECTIVE = "CollectiveBarrierRef"
_OF_ONE_BARRIER = (
    "arrive | arrive_and_wait | arrive_expect_tx | complete_tx | get_barrier_id | get_ptr | remap_to_cluster | test"
    " | test_parity | wait | wait_parity"
)


_LAYOUTS = " | ".join(sorted(LAYOUTS))
_APPROXIMATE = "exp exp2 log log2 sin cos tanh rsqrt sqrt"
_COMBINING = "max min trunc_div copysign atan2"
_METHODS = (
    "__neg__ __invert__ __add__ __sub__ __mul__ __truediv__ __floordiv__ __mod__ __pow__ __and__ __or__ __xor__"
    " __lshift__ __rshift__ __radd__ __rsub__ __rmul__ __rtruediv__ __rfloordiv__ __rmod__ __rpow__ __rand__ __ror__"
    " __rxor__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ select abs round round_even erf"
)
_OF_DTYPE = " | ".join(f"FragmentedArray.{each}" for each in f"{_METHODS} {_COMBINING} {_APPROXIMATE}".split())
_NARROW = "int2 | int4 | int8 | uint2 | uint4 | uint8 | float4_e2m1fn | float8_e4m3fn | float8_e5m2 | float8_e8m0fnu"


class Row(NamedTuple):
    """A complaint that meets every condition is the rule's; the first row that matches decides."""

    rule: str
    call: str
    """The callables, as mypy names them: `Class.method`, `function`, or `operator`."""
    parameter: str
    """Parameters; `~D` for the type variable `D`, `()` for arguments that are wrong only in combination, `!barrier` for
    a parameter that is given nothing, `!` for arguments that are missing or too many."""
    differs: str = ""
    """What of the argument is not as expected: `space`, `barrier`, `class`, `literal`, `capability` (its architecture
    lacks one), or a type argument's name."""
    got: str = ""
    """A type that the argument must be."""
    expected: str = ""
    """A type that the parameter must be."""
    fix: str = ""
    """What to do here, where the rule's own fix says too little."""


_SWIZZLED = (
    "FragmentedArray.store_untiled | FragmentedArray.load_tiled | FragmentedArray.store_tiled"
    " | FragmentedArray.store_tiled_async"
    " | LaunchContext.async_copy | LaunchContext.async_copy_im2col | copy_tiled | async_copy_smem_to_tmem | mma | wgmma"
)
_SWIZZLED_TILES = "FragmentedArray.load_tiled | FragmentedArray.store_tiled | FragmentedArray.store_tiled_async"
_ASYNC_STORE = "FragmentedArray.store_tiled_async"
_LOAD_REDUCE = "FragmentedArray.load_reduce_untiled"
_M64 = "DenseTMEM[Any, M64Accumulator]"
_M128 = "DenseTMEM[Any, M128Accumulator]"
_M128_OR_PAIR = "DenseTMEM[Any, M128Accumulator | M64CollectiveAccumulator]"
_COPY_METADATA = "async_copy_sparse_metadata_smem_to_tmem"
_TO_TMEM = f"{_COPY_METADATA} | async_copy_scales_smem_to_tmem | async_copy_smem_to_tmem"

_ATOMICS = "FragmentedArray.store_untiled | FragmentedArray.store_tiled"
_RAW = " | ".join(sorted(RAW))
_ON_CHIP = "SmemRef | ClusterSmemRef | DenseTMEM"
_VECTOR = "FragmentedArray[Any, OneAxis]"
_VECTOR_OR_SPLAT = "FragmentedArray[Any, OneAxis | Splat] | int | float | Value"
_WRAP = "give the raw ir.Value its type: SmemRef.wrap, GmemRef.wrap and the like"
_BROADCAST = "make the row or column a matrix: `.broadcast_in_dim(shape, (axis,), layout)`"
_SCALAR = "make it a scalar, which has a dtype: `mgpu.c(0.0, mgpu.float32)`"
_VALUES = "FragmentedArray | Index | I1 | I8 | I16 | I32 | I64 | F16 | BF16 | F32 | F64"
_STATIC = "cut by ints that Python knows; a thread reads single elements in `.foreach`"
_INDICES = "row indices are an array of unsigned integers of at most 32 bits, in `mgpu.TMA_INDICES_LAYOUT`"
_LITERAL = 'annotate it with what it can be: `op: Literal["add", "max"]`'

_WITH_APPROX = " | ".join(f"FragmentedArray.{each}" for each in _APPROXIMATE.split())
_WITH_NUMBER = "FragmentedArray.max | FragmentedArray.min | FragmentedArray.trunc_div"
_CONVERSIONS = "new_dtype | ~Wide | ~NotScale | ~NotWide | ~OfScale"
_WIDTHS = "elt | ~Bits2 | ~Bits4 | ~Bits8 | ~Bits16 | ~Bits32 | ~Bits64"
_WIDEN = "convert it with `.astype`, operate, and convert back"
_SPREAD = "give it a layout first: `.to_layout(layout)` of a splat array, or `layout=` where it is made"
_TILES = "load or make the array in a tiled layout: `load_untiled(ref, layout=layout)`"
_NEW_AXES = (
    "tiled arrays repeat by `.broadcast_in_dim(shape, axes, layout)`, in a tiled layout; strided ones in a strided one"
)
_WHOLE_REGISTERS = "convert with `.astype` to 8, 16 or 32 bits; a splat array needs a layout, or 32 bits"
_ROWS = (
    "tuple[FragmentedArray[bool_ | uint2 | uint4 | uint8 | uint16 | uint32, TMA_INDICES | TMA_INDICES_4]]"
    " | FragmentedArray[bool_ | uint2 | uint4 | uint8 | uint16 | uint32, TMA_INDICES | TMA_INDICES_4]"
)
_NOT_OF_TMA = " | ".join(f"{each}[{dtype}]" for each in ("GmemRef", "SmemRef") for dtype in ("bool_", "float64"))
_OF_NARROW = " | ".join(
    f"{each}[{dtype}]"
    for each in ("GmemRef", "SmemRef")
    for dtype in ("bool_", "int2", "int4", "uint2", "uint4", "float4_e2m1fn")
)
_LOADS = "FragmentedArray.load_tiled | FragmentedArray.load_untiled"
_TILED_STORES = "FragmentedArray.store_untiled | FragmentedArray.store_tiled"
_EXACT = "leave `approx` out, or convert with `.astype(mgpu.float32)` first"
_EXPONENT = "the exponent of integers is an int that Python knows; convert with `.astype(mgpu.float32)` for another"
_WHOLE = "write the number as an int, or convert the array with `.astype` first"
_IOTA = "make it of float32 or int32, and convert with `.astype`"

ROWS = (
    # architectures: what another one lacks, it lacks whatever the other arguments are
    Row("SG601", ANY, ANY, differs="capability"),
    Row("SG601", ANY, "~ArchitectureWithTensorMemory"),
    Row("SG601", "mma", "~On"),
    Row("SG602", ANY, ANY, differs="architecture"),
    # memory spaces
    Row("SG115", _LOADS, "ref", differs="space", got="GmemRef", expected="SmemRef | ClusterSmemRef"),
    Row(
        "SG115", _TILED_STORES, "ref", differs="space", got="GmemRef | MultimemRef", expected="SmemRef | ClusterSmemRef"
    ),
    Row("SG115", f"{_LOADS} | {_TILED_STORES}", "!optimized"),
    Row("SG103", _ASYNC_STORE, "ref", got="MultimemRef"),
    Row("SG104", _ASYNC_STORE, "ref", got="GmemRef | ClusterSmemRef"),
    Row("SG105", "FragmentedArray.store_untiled", "ref", differs="space", got="MultimemRef"),
    Row("SG106", "mma", "d | a", got="SparseMetaTMEM | ScalesTMEM"),
    Row("SG107", "mma", "a_sparse_metadata", got=_NOT_METADATA),
    Row("SG107", _COPY_METADATA, "tmem_ref", differs="space"),
    Row("SG108", _VIEWS, "ref", got="MultimemRef"),
    Row("SG109", _WRAPS, "raw", got=_NO_VALUES),
    Row("SG109", "memref_ptr", "memref_arg", got=_NO_VALUES),
    Row("SG109", ANY, ANY, differs="space", got=_RAW, fix=_WRAP),
    Row("SG109", "LaunchContext.async_copy | LaunchContext.async_copy_im2col | copy_tiled", ANY, differs="space"),
    Row("SG109", ANY, ANY, differs="space", got="GmemRef", expected=_ON_CHIP, fix="copy it to shared memory first"),
    Row("SG109", ANY, ANY, differs="space"),
    # barriers
    Row("SG402", ANY, ANY, differs="barrier", got=_COLLECTIVE),
    Row("SG402", "LaunchContext.async_copy", ANY, got=_COLLECTIVE),
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
    # conversions of layouts
    Row("SG209", "FragmentedArray.to_layout", "new_layout", got=_LAYOUTS),
    Row("SG209", "FragmentedArray.to_layout", "self", got="FragmentedArray"),
    # stores to memory
    Row("SG302", _STORES, "ref", differs="dtype"),
    Row("SG302", _STORES, "~D"),
    Row("SG302", _STORES, "self", differs="dtype"),
    Row("SG206", _ATOMICS, "self", differs="layout"),
    Row("SG306", _ASYNC_STORE, "atomic", expected="None"),
    Row("SG306", _ASYNC_STORE, "~I"),
    Row("SG206", _ATOMICS, "atomic", expected="None"),
    # mypy blames the call that makes the reference when it stands among the arguments of the store
    Row("SG302", f"{_VIEWS_OF_ANY} | {_REMOTE}", "ref", differs="dtype"),
    # reductions on the way from multimem
    Row("SG208", _LOAD_REDUCE, "layout", got="WGSplatFragLayout | FragmentedLayout[Splat]"),
    Row("SG208", _LOAD_REDUCE, "~L"),
    Row("SG306", _LOAD_REDUCE, "reduction | ~F | ~I | ()"),
    Row("SG306", _LOAD_REDUCE, "ref", differs="dtype"),
    # operations that the layout lacks
    Row("SG213", "FragmentedArray.foreach | FragmentedArray.debug_print", "self", fix=_SPREAD),
    Row("SG213", "FragmentedArray.build | concatenate", "~L", got="Splat", fix=_SPREAD),
    Row("SG213", "FragmentedArray.reduce", "op | target_layout", fix=_SPREAD),
    Row("SG213", "FragmentedArray.__rtruediv__", "self", got="FragmentedArray[float8_e8m0fnu, Splat]", fix=_SPREAD),
    Row("SG213", "FragmentedArray.__getitem__ | FragmentedArray.__setitem__", "self", fix=_TILES),
    Row("SG213", "FragmentedArray.broadcast", "self", fix=_NEW_AXES),
    Row("SG213", "FragmentedArray.broadcast_in_dim", "~L", fix=_NEW_AXES),
    Row("SG207", "concatenate", "~L"),
    Row("SG305", "concatenate", "~D"),
    Row("SG305", "concatenate", "arrays", got="list[object]"),
    Row("SG207", "concatenate", "arrays"),
    # operations that the dtype lacks
    Row("SG309", "optimization_barrier", "~A | ~B | ~C", fix=_WHOLE_REGISTERS),
    Row("SG309", _OF_DTYPE, "self", fix=_WIDEN),
    Row("SG309", "FragmentedArray.__pow__", "other", fix=_EXPONENT),
    Row("SG309", _WITH_APPROX, "approx", fix=_EXACT),
    Row("SG309", "operator", "other", got="float", expected="FragmentedArray", fix=_WHOLE),
    Row("SG309", _WITH_NUMBER, "other", got="float", fix=_WHOLE),
    Row("SG309", "FragmentedArray.select", "~D", got=_NARROW, fix=_WIDEN),
    Row("SG309", "FragmentedArray.broadcasted_iota", "~Wide", fix=_IOTA),
    Row("SG310", "FragmentedArray.astype", _CONVERSIONS),
    Row("SG310", "FragmentedArray.bitcast", _WIDTHS, fix="give a dtype of the same width; `.astype` converts"),
    # arithmetic: Mosaic GPU looks at the layouts first
    Row("SG207", _ARITHMETIC, ANY, differs="layout", got=_VECTOR, fix=_BROADCAST),
    Row("SG207", _ARITHMETIC, ANY, differs="layout", expected=_VECTOR_OR_SPLAT, fix=_BROADCAST),
    Row("SG207", _ARITHMETIC, ANY, differs="layout"),
    Row("SG305", _ARITHMETIC, ANY, differs="dtype"),
    Row("SG305", _ARITHMETIC, "~D | ()"),
    # the tensor core
    Row("SG212", "mma", "acc | a | b", differs="layout", got="FragmentedArray"),
    Row("SG801", "mma", "d", differs="layout", got=_M64, expected=_M128),
    Row("SG804", "mma", "!a_scale | !b_scale"),
    Row("SG804", "mma", "a_scale | b_scale", got="ScalesTMEM", expected="None"),
    Row("SG803", "mma", "d", differs="layout", got=_M64, expected=_M128_OR_PAIR),
    Row("SG210", "mma", "d | a", got="DenseTMEM", differs="layout"),
    Row("SG210", "async_copy_smem_to_tmem", "tmem_ref", got="DenseTMEM", differs="layout"),
    Row("SG211", "wgmma", "a", got="FragmentedArray", differs="layout"),
    Row("SG211", "WGMMAAccumulator.from_registers", "registers", differs="layout"),
    Row("SG303", "WGMMAAccumulator.zero", "~Signed", fix="wgmma accumulates integers in mgpu.int32"),
    Row("SG303", "mma | wgmma", ANY, differs="dtype"),
    Row("SG303", "mma | wgmma", "~A | ~B | ~C | ~D | ~F | ~A8 | ~B8 | ~O | ~S4 | ()"),
    Row("SG304", _COPY_METADATA, "smem_ref", differs="dtype"),
    Row("SG304", _COPY_METADATA, "~Meta"),
    Row("SG304", "TMEM | TMEMRef.from_alloc", ANY, got="TMEMLayout[TMEM_SPARSE_META]"),
    # scalars
    Row("SG308", ANY, "cond | predicate", differs="scalar", fix="compare: `step > 0`, `step.eq(0)`"),
    Row("SG308", ANY, ANY, differs="scalar"),
    Row("SG308", "I1.select", "~S | ()"),
    # a pair of blocks
    Row("SG502", "commit_arrive", "collective | ctx | !ctx"),
    Row("SG501", ANY, ANY, differs="collective"),
    Row("SG501", f"mma | {_TO_TMEM}", "~Pair | collective"),
    # copies
    Row("SG403", "LaunchContext.async_copy", "!barrier"),
    Row("SG412", "LaunchContext.async_copy", "gmem_slice", got=_ROWS),
    Row("SG412", "LaunchContext.async_copy", "leader_tracked", differs="class"),
    Row("SG404", "LaunchContext.async_copy", "barrier | reduction_op", differs="class", expected="None"),
    Row("SG320", "LaunchContext.async_copy | LaunchContext.async_prefetch", ANY, differs="dtype", got=_NOT_OF_TMA),
    Row("SG320", "LaunchContext.async_copy | LaunchContext.async_prefetch", "~Copied"),
    Row("SG320", "LaunchContext.async_copy_im2col", ANY, differs="dtype", got=_OF_NARROW),
    Row("SG320", "LaunchContext.async_copy_im2col", "~Window"),
    Row("SG307", _COPIES, "src | dst | src_ref | dst_ref | smem_ref | tmem_ref", differs="dtype"),
    Row("SG307", _COPIES, "~D"),
    # swizzles
    Row("SG701", ANY, ANY, differs="swizzle"),
    Row("SG701", ANY, "~Swizzle | ~ASwizzle | ~BSwizzle"),
    Row("SG701", _SWIZZLED, "swizzle | a_swizzle | b_swizzle", differs="literal"),
    Row("SG701", "LaunchContext.async_copy", "swizzle", got="int", expected="Literal"),
    Row("SG701", _SWIZZLED_TILES, "swizzle", got="None"),
    Row("SG404", "LaunchContext.async_copy", "collective", differs="class", expected="tuple[()] | None"),
    # what is left of a reduction is its dtype
    Row("SG306", _ATOMICS, "atomic", differs="literal"),
    Row("SG306", _ATOMICS, "atomic", got="str", fix=_LITERAL),
    Row("SG306", "LaunchContext.async_copy", "reduction_op", differs="literal"),
    Row("SG306", "LaunchContext.async_copy", "reduction_op", got="str", fix=_LITERAL),
    Row("SG302", _STORES, "()"),
    # Python's own max and min, which compare and ask for the truth of it
    Row("SG811", "max", "", got=_VALUES, fix="write `a.max(b)`, of arrays and of scalars"),
    Row("SG811", "min", "", got=_VALUES, fix="write `a.min(b)`, of arrays and of scalars"),
    # what no rule is about, and newcomers write
    Row("SG000", "FragmentedArray.__getitem__ | FragmentedArray.__setitem__", "idx", fix=_STATIC),
    Row("SG000", "LaunchContext.async_copy", "gmem_slice", fix=_INDICES),
    Row("SG000", "c", "val", got="float", fix="write an int: Mosaic GPU makes no integer of a float"),
    Row("SG000", "Partition.get_base", ANY, got="int", fix="make it a scalar: `mgpu.c(i, mgpu.Index)`"),
    Row("SG000", "FragmentedArray.splat", "value", got="int | float | Literal", fix=_SCALAR),
    Row("SG000", "fori", "bound", got="int | Literal", fix="make it a scalar: `mgpu.c(steps, mgpu.Index)`"),
    Row("SG000", "attribute", ANY, got="WGMMAAccumulator", fix="`.value` is the accumulator as an array"),
    Row("SG000", "attribute", _OF_ONE_BARRIER, got=_COLLECTIVE, fix="`.barrier` is this block's own barrier"),
    # specs
    Row("SG000", "as_gpu_kernel", "!"),
    Row("SG802", "as_gpu_kernel", "body | in_shape | out_shape | smem_scratch_shape | inout_shape | ()"),
    Row("SG802", "as_gpu_kernel", "~I | ~O | ~O1 | ~O2 | ~O3 | ~O4 | ~S"),
)
