"""The typed surface of safegpu: what `import safegpu as mgpu` gives.

Names, argument order and behaviour are those of `jax.experimental.mosaic.gpu` 0.11.2. Each module beside this one owns
one idea and holds the signatures; this file re-exports.
"""

from typing import Any

from safegpu import architectures as architectures
from safegpu import dtypes as dtypes
from safegpu import fragmented_array as fragmented_array
from safegpu import launch_context as launch_context
from safegpu import layouts as layouts
from safegpu import profiler as profiler
from safegpu import tcgen05 as tcgen05
from safegpu import utils as utils
from safegpu.architectures import Architecture as Architecture
from safegpu.architectures import sm_80 as sm_80
from safegpu.architectures import sm_90a as sm_90a
from safegpu.architectures import sm_100a as sm_100a
from safegpu.architectures import sm_103a as sm_103a
from safegpu.architectures import sm_110a as sm_110a
from safegpu.architectures import sm_120a as sm_120a
from safegpu.barriers import BarrierArray as BarrierArray
from safegpu.barriers import BarrierRef as BarrierRef
from safegpu.barriers import CollectiveBarrierArray as CollectiveBarrierArray
from safegpu.barriers import CollectiveBarrierRef as CollectiveBarrierRef
from safegpu.barriers import CtaBarrierArray as CtaBarrierArray
from safegpu.barriers import CtaBarrierRef as CtaBarrierRef
from safegpu.barriers import DialectBarrierRef as DialectBarrierRef
from safegpu.barriers import ThreadSubset as ThreadSubset
from safegpu.dtypes import DType as DType
from safegpu.dtypes import bfloat16 as bfloat16
from safegpu.dtypes import bool_ as bool_
from safegpu.dtypes import float4_e2m1fn as float4_e2m1fn
from safegpu.dtypes import float8_e4m3fn as float8_e4m3fn
from safegpu.dtypes import float8_e5m2 as float8_e5m2
from safegpu.dtypes import float8_e8m0fnu as float8_e8m0fnu
from safegpu.dtypes import float16 as float16
from safegpu.dtypes import float32 as float32
from safegpu.dtypes import float64 as float64
from safegpu.dtypes import int2 as int2
from safegpu.dtypes import int4 as int4
from safegpu.dtypes import int8 as int8
from safegpu.dtypes import int16 as int16
from safegpu.dtypes import int32 as int32
from safegpu.dtypes import int64 as int64
from safegpu.dtypes import uint2 as uint2
from safegpu.dtypes import uint4 as uint4
from safegpu.dtypes import uint8 as uint8
from safegpu.dtypes import uint16 as uint16
from safegpu.dtypes import uint32 as uint32
from safegpu.dtypes import uint64 as uint64
from safegpu.fragmented_array import TCGEN05_COL_LAYOUT as TCGEN05_COL_LAYOUT
from safegpu.fragmented_array import TCGEN05_LAYOUT as TCGEN05_LAYOUT
from safegpu.fragmented_array import TCGEN05_ROW_LAYOUT as TCGEN05_ROW_LAYOUT
from safegpu.fragmented_array import TCGEN05_TRANSPOSED_LAYOUT as TCGEN05_TRANSPOSED_LAYOUT
from safegpu.fragmented_array import TMA_INDICES_4_LAYOUT as TMA_INDICES_4_LAYOUT
from safegpu.fragmented_array import TMA_INDICES_LAYOUT as TMA_INDICES_LAYOUT
from safegpu.fragmented_array import TMEM_NATIVE_LAYOUT as TMEM_NATIVE_LAYOUT
from safegpu.fragmented_array import WGMMA_COL_LAYOUT as WGMMA_COL_LAYOUT
from safegpu.fragmented_array import WGMMA_LAYOUT as WGMMA_LAYOUT
from safegpu.fragmented_array import WGMMA_LAYOUT_8BIT as WGMMA_LAYOUT_8BIT
from safegpu.fragmented_array import WGMMA_LAYOUT_UPCAST_2X as WGMMA_LAYOUT_UPCAST_2X
from safegpu.fragmented_array import WGMMA_LAYOUT_UPCAST_4X as WGMMA_LAYOUT_UPCAST_4X
from safegpu.fragmented_array import WGMMA_ROW_LAYOUT as WGMMA_ROW_LAYOUT
from safegpu.fragmented_array import WGMMA_TRANSPOSED_LAYOUT as WGMMA_TRANSPOSED_LAYOUT
from safegpu.fragmented_array import FragmentedArray as FragmentedArray
from safegpu.fragmented_array import FragmentedLayout as FragmentedLayout
from safegpu.fragmented_array import Rounding as Rounding
from safegpu.fragmented_array import TiledLayout as TiledLayout
from safegpu.fragmented_array import WGSplatFragLayout as WGSplatFragLayout
from safegpu.fragmented_array import WGStridedFragLayout as WGStridedFragLayout
from safegpu.fragmented_array import concatenate as concatenate
from safegpu.fragmented_array import copy_tiled as copy_tiled
from safegpu.fragmented_array import optimization_barrier as optimization_barrier
from safegpu.fragmented_array import tmem_native_layout as tmem_native_layout
from safegpu.kernel import Kernel as Kernel
from safegpu.kernel import LoweringSemantics as LoweringSemantics
from safegpu.kernel import as_gpu_kernel as as_gpu_kernel
from safegpu.kernel import as_torch_gpu_kernel as as_torch_gpu_kernel
from safegpu.kernel import infer_layout as infer_layout
from safegpu.kernel import is_nvshmem_available as is_nvshmem_available
from safegpu.kernel import lower_mgpu_dialect as lower_mgpu_dialect
from safegpu.kernel import stated_architecture as stated_architecture
from safegpu.kernel import to_layout_attr as to_layout_attr
from safegpu.launch_context import GLOBAL_BROADCAST as GLOBAL_BROADCAST
from safegpu.launch_context import AsyncCopyImplementation as AsyncCopyImplementation
from safegpu.launch_context import CopyPartition as CopyPartition
from safegpu.launch_context import LaunchContext as LaunchContext
from safegpu.launch_context import MemRefTransform as MemRefTransform
from safegpu.launch_context import OOBFillMode as OOBFillMode
from safegpu.launch_context import TileTransform as TileTransform
from safegpu.launch_context import TMAReductionOp as TMAReductionOp
from safegpu.launch_context import TransposeTransform as TransposeTransform
from safegpu.matmul import MMALayouts as MMALayouts
from safegpu.matmul import WGMMAAccumulator as WGMMAAccumulator
from safegpu.matmul import mma as mma
from safegpu.matmul import wgmma as wgmma
from safegpu.matmul import wgmma_commit_group as wgmma_commit_group
from safegpu.matmul import wgmma_wait_group as wgmma_wait_group
from safegpu.offline.compiled import Compiled as Compiled
from safegpu.offline.errors import CompileError as CompileError
from safegpu.offline.public import compile_kernel as compile_kernel
from safegpu.refs import ClusterSmemRef as ClusterSmemRef
from safegpu.refs import DynamicSlice as DynamicSlice
from safegpu.refs import GmemRef as GmemRef
from safegpu.refs import MultimemRef as MultimemRef
from safegpu.refs import SmemRef as SmemRef
from safegpu.refs import get_cluster_ref as get_cluster_ref
from safegpu.refs import memref_fold as memref_fold
from safegpu.refs import memref_reshape as memref_reshape
from safegpu.refs import memref_slice as memref_slice
from safegpu.refs import memref_transpose as memref_transpose
from safegpu.refs import memref_unfold as memref_unfold
from safegpu.refs import memref_unsqueeze as memref_unsqueeze
from safegpu.rules import RaceWarning as RaceWarning
from safegpu.rules import RuleError as RuleError
from safegpu.rules import allow as allow
from safegpu.scalars import BF16 as BF16
from safegpu.scalars import F16 as F16
from safegpu.scalars import F32 as F32
from safegpu.scalars import F64 as F64
from safegpu.scalars import I1 as I1
from safegpu.scalars import I8 as I8
from safegpu.scalars import I16 as I16
from safegpu.scalars import I32 as I32
from safegpu.scalars import I64 as I64
from safegpu.scalars import Dimension as Dimension
from safegpu.scalars import Index as Index
from safegpu.scalars import block_id as block_id
from safegpu.scalars import c as c
from safegpu.scalars import cluster_block_id as cluster_block_id
from safegpu.scalars import grid_dim as grid_dim
from safegpu.scalars import thread_id as thread_id
from safegpu.scalars import thread_idx as thread_idx
from safegpu.scalars import warp_idx as warp_idx
from safegpu.scalars import warpgroup_idx as warpgroup_idx
from safegpu.specs import GMEM as GMEM
from safegpu.specs import SMEM as SMEM
from safegpu.specs import TMEM as TMEM
from safegpu.specs import Barrier as Barrier
from safegpu.specs import ClusterBarrier as ClusterBarrier
from safegpu.specs import CtaBarrier as CtaBarrier
from safegpu.specs import Many as Many
from safegpu.specs import Scratch as Scratch
from safegpu.specs import ShapeDtypeStruct as ShapeDtypeStruct
from safegpu.specs import TMABarrier as TMABarrier
from safegpu.specs import Union as Union
from safegpu.tcgen05 import DenseTMEM as DenseTMEM
from safegpu.tcgen05 import ScalesTMEM as ScalesTMEM
from safegpu.tcgen05 import SparseMetaTMEM as SparseMetaTMEM
from safegpu.utils import MultimemReductionOp as MultimemReductionOp
from safegpu.utils import Partition as Partition
from safegpu.utils import Partition1D as Partition1D
from safegpu.utils import SemaphoreRef as SemaphoreRef
from safegpu.utils import bitwidth as bitwidth
from safegpu.utils import block_barrier as block_barrier
from safegpu.utils import bytewidth as bytewidth
from safegpu.utils import cluster_idx as cluster_idx
from safegpu.utils import commit_shared as commit_shared
from safegpu.utils import debug_print as debug_print
from safegpu.utils import ds as ds
from safegpu.utils import fori as fori
from safegpu.utils import is_known_divisible as is_known_divisible
from safegpu.utils import nanosleep as nanosleep
from safegpu.utils import query_cluster_cancel as query_cluster_cancel
from safegpu.utils import set_max_registers as set_max_registers
from safegpu.utils import single_thread as single_thread
from safegpu.utils import single_thread_predicate as single_thread_predicate
from safegpu.utils import tile_shape as tile_shape
from safegpu.utils import try_cluster_cancel as try_cluster_cancel
from safegpu.utils import warpgroup_barrier as warpgroup_barrier
from safegpu.utils import when as when

# What `from safegpu import *` gives: the names that Mosaic GPU's star import gives.
__all__ = [
    "GLOBAL_BROADCAST", "TCGEN05_COL_LAYOUT", "TCGEN05_LAYOUT", "TCGEN05_ROW_LAYOUT", "TCGEN05_TRANSPOSED_LAYOUT",
    "TMA_INDICES_4_LAYOUT", "TMA_INDICES_LAYOUT", "TMEM", "TMEM_NATIVE_LAYOUT", "WGMMA_COL_LAYOUT", "WGMMA_LAYOUT",
    "WGMMA_LAYOUT_8BIT", "WGMMA_LAYOUT_UPCAST_2X", "WGMMA_LAYOUT_UPCAST_4X", "WGMMA_ROW_LAYOUT",
    "WGMMA_TRANSPOSED_LAYOUT", "AsyncCopyImplementation", "Barrier", "BarrierRef", "ClusterBarrier",
    "CollectiveBarrierRef", "CopyPartition", "CtaBarrier", "CtaBarrierRef", "DialectBarrierRef", "DynamicSlice", "FragmentedArray",
    "FragmentedLayout", "LaunchContext", "LoweringSemantics", "MMALayouts", "MemRefTransform",
    "MultimemReductionOp", "OOBFillMode", "Partition", "Partition1D", "Rounding", "SemaphoreRef",
    "ShapeDtypeStruct", "TMABarrier", "TMAReductionOp", "ThreadSubset", "TileTransform", "TiledLayout",
    "TransposeTransform", "Union", "WGMMAAccumulator", "WGSplatFragLayout", "WGStridedFragLayout", "as_gpu_kernel",
    "as_torch_gpu_kernel", "bitwidth", "bytewidth", "c", "commit_shared", "concatenate", "copy_tiled",
    "debug_print", "dialect", "ds", "fori", "fragmented_array", "get_cluster_ref", "infer_layout",
    "is_known_divisible", "is_nvshmem_available", "launch_context", "layouts", "lower_mgpu_dialect", "memref_fold",
    "memref_reshape", "memref_slice", "memref_transpose", "memref_unfold", "memref_unsqueeze", "mma", "nanosleep",
    "optimization_barrier", "profiler", "query_cluster_cancel", "single_thread", "single_thread_predicate",
    "tcgen05", "thread_idx", "tile_shape", "tmem_native_layout", "to_layout_attr", "try_cluster_cancel", "utils",
    "warp_idx", "warpgroup_barrier", "warpgroup_idx", "wgmma", "when",
]  # fmt: skip

__version__: str

# The MLIR dialect of Warpgroup semantics.
dialect: Any
