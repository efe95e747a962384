"""Architectures: one class for each GPU architecture, under the name of its ptxas target.

An architecture is a set of capabilities and not a point on a line: sm_120a is newer than sm_100a and has no tensor
memory. So each token derives from the capabilities that it has, which is the whole table: a checker reads it as
subtyping (`SmemRef[float16, Literal[128], sm_100a]` is no `SmemRef[..., HasWGMMA]`), and lowering asks `issubclass`.

What Mosaic GPU refuses by itself (conversions of float8_e8m0fnu and float4_e2m1fn, `redux` of floats) is not here.
`tests/test_architectures.py` holds every cell against ptxas.
"""

from typing import TYPE_CHECKING, Any, ClassVar, Never, Protocol, TypeVar, final

from safegpu._generic import Generic

__all__ = [
    "Architecture",
    "sm_80",
    "sm_90a",
    "sm_100a",
    "sm_103a",
    "sm_110a",
    "sm_120a",
]  # fmt: skip


# --- for checkers alone: a kernel's scratch and `as_gpu_kernel(arch=)` agree

_A = TypeVar("_A")
_A_contra = TypeVar("_A_contra", contravariant=True)


class States(Generic[_A_contra]):
    """What states the architecture of a kernel: what is for one of two is for each of them."""

    if TYPE_CHECKING:
        # of all objects, the ones that are no Elsewhere
        def __sizeof__(self, *, a_reference_has_the_architecture_of_its_scratch: Never) -> int: ...  # type: ignore[override]


class Elsewhere(Protocol):
    """Whatever states none."""

    def __sizeof__(self) -> int: ...


class Architecture:
    """Base of the architecture tokens. Tokens are never instantiated."""

    compute_capability: ClassVar[tuple[int, int]]
    """(major, minor), as JAX and Mosaic GPU count."""

    if TYPE_CHECKING:

        @classmethod
        def _agrees(cls, scratch: Any, /) -> Any: ...


class _Agrees(Generic[_A]):
    """With scratch that is for the architecture, for it among others, or that says nothing."""

    if TYPE_CHECKING:

        @classmethod
        def _agrees(cls, scratch: States[_A] | Elsewhere | None, /) -> _A: ...


# --- capabilities: what some architectures have and others lack


class HasWGMMA(Architecture):
    """`wgmma`: MMAs of a warpgroup with the accumulator in registers (PTX ISA, "wgmma.mma_async")."""


class HasTcgen05(Architecture):
    """Tensor memory and the MMAs that accumulate in it (PTX ISA, "tcgen05")."""


class HasTcgen05Int8(HasTcgen05):
    """`tcgen05.mma` of 8-bit integers (PTX ISA, "tcgen05.mma", `.kind::i8`)."""


class HasTMEMLoadReduce(HasTcgen05):
    """Loads of tensor memory that reduce (PTX ISA, "tcgen05.ld.red")."""


class HasTMA(Architecture):
    """Copies by the TMA unit, both ways, prefetches, and waits for them (PTX ISA, "cp.async.bulk")."""


class HasAsyncProxy(Architecture):
    """What reads and writes shared memory beside the threads, and the fence for it (PTX ISA, "fence.proxy.async")."""


class HasClusters(Architecture):
    """Blocks that are launched together and reach each other's shared memory (PTX ISA, "Cluster of CTAs", "mapa")."""


class HasMultimem(Architecture):
    """Addresses that stand for the memory of all devices (PTX ISA, "multimem")."""


class HasRegisterReallocation(Architecture):
    """Registers that a warpgroup gives to others (PTX ISA, "setmaxnreg")."""


class HasFloat8(Architecture):
    """Conversions of 8-bit floats, and the warps' MMA of them (PTX ISA, "cvt", `.e4m3x2`, "mma")."""


class HasTMAGather(HasTMA):
    """TMA copies to shared memory of rows named by an index each (PTX ISA, "cp.async.bulk.tensor", `gather4`)."""


class HasTMAScatter(HasTMA):
    """TMA copies to global memory, to rows named by an index each (PTX ISA, "cp.async.bulk.tensor", `scatter4`)."""


class HasLeaderTrackedTMA(HasTMA):
    """Collective TMA copies tracked by one barrier of the pair (PTX ISA, "cp.async.bulk.tensor", `.cta_group::2`)."""


class HasFloat8Multimem(HasMultimem):
    """Multimem reductions of 8-bit floats (PTX ISA, "multimem")."""


class HasClusterLaunchControl(Architecture):
    """Blocks that take over the work of blocks not yet launched (PTX ISA, "clusterlaunchcontrol")."""


class _SinceHopper(HasTMA, HasAsyncProxy, HasClusters, HasMultimem, HasRegisterReallocation, HasFloat8):
    """What every one of these architectures has, but for Ampere."""


# --- the architectures


@final
class sm_80(_Agrees["sm_80"], Architecture):
    """Ampere: A100. Its copies are those of threads (PTX ISA, "cp.async")."""

    compute_capability = (8, 0)


@final
class sm_90a(_Agrees["sm_90a"], HasWGMMA, _SinceHopper):
    """Hopper: H100, H200."""

    compute_capability = (9, 0)


@final
class sm_100a(
    _Agrees["sm_100a"],
    HasTcgen05Int8,
    HasTMAGather,
    HasTMAScatter,
    HasLeaderTrackedTMA,
    HasFloat8Multimem,
    HasClusterLaunchControl,
    _SinceHopper,
):
    """Blackwell: B200."""

    compute_capability = (10, 0)


@final
class sm_103a(
    _Agrees["sm_103a"],
    HasTMEMLoadReduce,
    HasTMAGather,
    HasTMAScatter,
    HasLeaderTrackedTMA,
    HasFloat8Multimem,
    HasClusterLaunchControl,
    _SinceHopper,
):
    """Blackwell Ultra: B300."""

    compute_capability = (10, 3)


@final
class sm_110a(
    _Agrees["sm_110a"],
    HasTcgen05Int8,
    HasTMEMLoadReduce,
    HasTMAGather,
    HasTMAScatter,
    HasLeaderTrackedTMA,
    HasFloat8Multimem,
    HasClusterLaunchControl,
    _SinceHopper,
):
    """Blackwell: Jetson Thor."""

    compute_capability = (11, 0)


@final
class sm_120a(_Agrees["sm_120a"], HasTMAGather, HasFloat8Multimem, HasClusterLaunchControl, _SinceHopper):
    """Blackwell of workstations and games: RTX PRO 6000, RTX 5090."""

    compute_capability = (12, 0)


# --- what is said of them when a kernel is lowered

ARCHITECTURES: tuple[type[Architecture], ...] = (sm_80, sm_90a, sm_100a, sm_103a, sm_110a, sm_120a)

_WITHOUT_TMEM: tuple[tuple[type[Architecture], str], ...] = (
    (HasWGMMA, "use wgmma, which accumulates in registers"),
    (Architecture, "use mma, which accumulates in registers"),
)

_WITHOUT_TMA: tuple[tuple[type[Architecture], str], ...] = (
    (
        Architecture,
        "copy to shared memory with async_copy(..., implementation=mgpu.AsyncCopyImplementation.CP_ASYNC), without a "
        "barrier, and await_cp_async_copy; from it with load_tiled and store_untiled",
    ),
)
_WITHOUT_MULTIMEM: tuple[tuple[type[Architecture], str], ...] = (
    (Architecture, "load from each device with to_remote and add up"),
)

INSTEAD: dict[type[Architecture], tuple[tuple[type[Architecture], str], ...]] = {
    HasWGMMA: (
        (HasTcgen05, "use tcgen05.mma with an accumulator in TMEM"),
        (Architecture, "use mma, whose operands are in registers"),
    ),
    HasTcgen05: _WITHOUT_TMEM,
    HasTcgen05Int8: (
        (HasTcgen05, "multiply float16, which holds every int8, or use mma, whose operands are in registers"),
        *_WITHOUT_TMEM,
    ),
    HasTMEMLoadReduce: ((HasTcgen05, "load without reduce= and reduce the array"), *_WITHOUT_TMEM),
    HasTMA: _WITHOUT_TMA,
    HasAsyncProxy: ((Architecture, "use warpgroup_barrier, which orders what threads write and read"),),
    HasClusters: ((Architecture, "let each block work by itself, and exchange through global memory"),),
    HasMultimem: _WITHOUT_MULTIMEM,
    HasRegisterReallocation: ((Architecture, "leave it out"),),
    HasFloat8: ((Architecture, "use float16"),),
    HasTMAGather: ((HasTMA, "copy each row with an async_copy of its own"), *_WITHOUT_TMA),
    HasTMAScatter: ((HasTMA, "copy each row with an async_copy of its own"), *_WITHOUT_TMA),
    HasLeaderTrackedTMA: (
        (HasTMA, "leave leader_tracked out and wait in each block for its own barrier"),
        *_WITHOUT_TMA,
    ),
    HasFloat8Multimem: ((HasMultimem, "reduce float16 or bfloat16"), *_WITHOUT_MULTIMEM),
    HasClusterLaunchControl: ((Architecture, "let each block loop over its share of the work"),),
}
"""What to do where a capability is lacking: the first line whose capability the architecture has."""


NOUNS: dict[type[Architecture], str] = {
    HasWGMMA: "wgmma",
    HasTcgen05: "tensor memory",
    HasTcgen05Int8: "tcgen05.mma of 8-bit integers",
    HasTMEMLoadReduce: "load of tensor memory that reduces",
    HasTMA: "TMA",
    HasAsyncProxy: "async proxy",
    HasClusters: "clusters",
    HasMultimem: "multimem",
    HasRegisterReallocation: "setmaxnreg",
    HasFloat8: "8-bit floats",
    HasTMAGather: "TMA gather",
    HasTMAScatter: "TMA scatter",
    HasLeaderTrackedTMA: "copy with leader_tracked",
    HasFloat8Multimem: "multimem reduction of 8-bit floats",
    HasClusterLaunchControl: "cluster launch control",
}
"""What it is that an architecture has or lacks."""


def having(capability: type[Architecture]) -> list[type[Architecture]]:
    """The architectures that have it."""
    return [each for each in ARCHITECTURES if issubclass(each, capability)]


_BY_CAPABILITY: dict[tuple[int, ...], type[Architecture]] = {each.compute_capability: each for each in ARCHITECTURES}


def of_compute_capability(major_minor: tuple[int, int]) -> type[Architecture] | None:
    """The token of a compute capability; None of one that is not listed, of which nothing is known."""
    return _BY_CAPABILITY.get(tuple(major_minor))
