"""The gate at lowering: what a known architecture lacks is refused; and how a kernel states its architecture."""

import contextlib
import functools
import pickle
import re
import threading
from pathlib import Path
from typing import Any, Union

import jax
import jax.experimental.mosaic.gpu as raw
import pytest
from jax.experimental.mosaic.gpu import utils as raw_utils

import safegpu as mgpu
from safegpu import _gate, _jax, architectures, tcgen05
from safegpu.architectures import ARCHITECTURES, INSTEAD, Architecture, HasClusters, HasTcgen05, having
from safegpu.offline.lowering import lower, lowered
from tests.runtime.kernels import BLACKWELL, HOPPER, trace
from tests.support.operations import OPERATIONS, Operation

sm_90a, sm_100a, sm_120a = architectures.sm_90a, architectures.sm_100a, architectures.sm_120a
OUT = mgpu.GMEM((128,), mgpu.int32)
TYPED: Any = mgpu

# What stands for a capability in a message: the operation that an author wrote.
WORDS = {
    "HasWGMMA": r"wgmma|WGMMAAccumulator",
    "HasTcgen05": r"tcgen05\.|TMEM|orders_tensor_core=True",
    "HasTcgen05Int8": r"tcgen05\.mma of int8",
    "HasTMEMLoadReduce": r"reduce=",
    "HasTMA": r"async_copy by TMA|async_prefetch|await_async_copy|prefetch_tensormap",
    "HasAsyncProxy": r"commit_shared",
    "HasClusters": r"cluster|store_tiled_async",
    "HasMultimem": r"to_remote_multicast",
    "HasRegisterReallocation": r"set_max_registers",
    "HasFloat8": r"8-bit floats",
    "HasTMAGather": r"async_copy of gathered rows",
    "HasTMAScatter": r"async_copy to gathered rows",
    "HasLeaderTrackedTMA": r"leader_tracked",
    "HasFloat8Multimem": r"8-bit floats",
    "HasClusterLaunchControl": r"cluster_cancel",
}


def listed(archs: list[type[Architecture]]) -> str:
    *first, last = [each.__name__ for each in archs]
    return f"{', '.join(first)} or {last}" if first else last


# --- the table, cell by cell


@pytest.mark.parametrize("arch", ARCHITECTURES, ids=lambda each: each.__name__)
@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_an_operation_is_refused_just_where_it_is_lacking(operation: Operation, arch: type[Architecture]) -> None:
    if issubclass(arch, operation.needs):
        assert lowered(operation.build, arch.compute_capability, peers=operation.peers)
        return
    # The launch comes first, and what an operation rests on before the operation: tensor memory has to be allocated.
    lacking = [each for each in reversed(operation.needs.__mro__) if each in INSTEAD and not issubclass(arch, each)]
    needs = HasClusters if operation.cluster > 1 and not issubclass(arch, HasClusters) else lacking[0]
    with pytest.raises(mgpu.RuleError) as caught:
        lowered(operation.build, arch.compute_capability, peers=operation.peers)
    assert caught.value.code == "SG601"
    message = str(caught.value)
    what, _, rest = message.removeprefix("SG601: ").partition(" needs ")
    assert re.search(WORDS[needs.__name__], what), message
    assert rest.startswith(f"{listed(having(needs))}, but this kernel is lowered for {arch.__name__}; on "), message
    assert arch.__name__ in rest.partition("; on ")[2]


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_nothing_is_refused_where_the_architecture_is_unknown(operation: Operation) -> None:
    if "sparse" in operation.name and "float4" in operation.name:
        pytest.skip("Mosaic GPU itself asserts that it lowers for Blackwell")
    assert lowered(operation.build, peers=operation.peers)


@pytest.mark.parametrize("capability", [(8, 6), (8, 9), (10, 7), (12, 1)])
def test_an_unlisted_architecture_is_unknown(capability: tuple[int, int]) -> None:
    assert lowered(OPERATIONS["tcgen05_commit"].build, capability)


def test_every_gate_is_met(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that another in front of it always hides would be one that no test has seen."""
    refused: set[str] = set()
    monkeypatch.setattr(_gate, "refuse", lambda code, message: refused.add(message[: message.index(" needs ")]))
    for operation in OPERATIONS.values():
        for arch in (architectures.sm_80, sm_90a, architectures.sm_103a, sm_120a):
            # Mosaic GPU's own: of sparse float4 on Hopper, of expect_tx and smaller floats on Ampere
            with contextlib.suppress(AssertionError, NotImplementedError, ValueError):
                lowered(operation.build, arch.compute_capability, peers=operation.peers)
    tcgen05_functions = (
        "async_copy_scales_smem_to_tmem", "async_copy_smem_to_tmem", "async_copy_sparse_metadata_smem_to_tmem",
        "commit_arrive", "commit_tmem", "mma", "mma of int8", "tmem_alloc", "tmem_dealloc",
        "tmem_relinquish_alloc_permit", "wait_load_tmem",
    )  # fmt: skip
    assert refused == {
        *(f"tcgen05.{name}" for name in tcgen05_functions),
        *(f"{name}(orders_tensor_core=True)" for name in ("arrive", "wait", "wait_parity", "test", "test_parity")),
        *("TMEM", "a load from TMEM", "a load from TMEM with reduce=", "a store to TMEM"),
        *("wgmma", "wgmma_commit_group", "wgmma_wait_group", "try_cluster_cancel", "query_cluster_cancel"),
        *("WGMMAAccumulator.zero", "WGMMAAccumulator.from_registers"),
        *("async_copy of gathered rows", "async_copy to gathered rows (scatter)", "async_copy with leader_tracked"),
        *("async_copy by TMA", "async_prefetch", "await_async_copy", "prefetch_tensormap", "commit_shared"),
        *("cluster=", "cluster_idx", "get_cluster_ref", "get_cluster_ptr"),
        *("remap_to_cluster", "store_tiled_async", "to_remote_multicast", "set_max_registers"),
        *("mma of 8-bit floats", "astype from or to 8-bit floats"),
        *("load_reduce_untiled of 8-bit floats", "multimem_load_reduce of 8-bit floats"),
    }


def test_the_message() -> None:
    with pytest.raises(mgpu.RuleError) as caught:
        lowered(OPERATIONS["wgmma_float16"].build, BLACKWELL)
    assert str(caught.value) == (
        "SG601: WGMMAAccumulator.zero needs sm_90a, but this kernel is lowered for sm_100a; "
        "on sm_100a, sm_103a and sm_110a use tcgen05.mma with an accumulator in TMEM"
    )
    assert isinstance(caught.value, ValueError)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_the_message_of_the_oldest() -> None:
    with pytest.raises(mgpu.RuleError) as caught:
        lowered(OPERATIONS["tma_load"].build, (8, 0))
    assert str(caught.value) == (
        "SG601: async_copy by TMA needs sm_90a, sm_100a, sm_103a, sm_110a or sm_120a, but this kernel is lowered for "
        "sm_80; on sm_80 copy to shared memory with async_copy(..., implementation="
        "mgpu.AsyncCopyImplementation.CP_ASYNC), without a barrier, and await_cp_async_copy; from it with load_tiled "
        "and store_untiled"
    )


def test_the_gate_is_at_the_authors_call() -> None:
    with pytest.raises(mgpu.RuleError) as caught:
        lowered(OPERATIONS["tcgen05_commit"].build, HOPPER)
    ours = str(Path(mgpu.__file__).parent)
    outside = [entry.name for entry in caught.traceback if not str(entry.path).startswith(ours)]
    assert outside[-1] == "tcgen05_commit"


def test_raw_tensor_memory_is_refused_too() -> None:
    def body(ctx: Any, o: Any, s: Any) -> None: ...

    for scratch in (raw.TMEM((128, 64), mgpu.float32.dtype), mgpu.Union([[mgpu.TMEM((128, 64), mgpu.float32)], []])):
        with pytest.raises(mgpu.RuleError, match="SG601: TMEM needs sm_100a, sm_103a or sm_110a"):
            trace(body, (), scratch=scratch, arch=HOPPER)


def test_a_raw_kernel_is_not_gated() -> None:
    def body(ctx: Any, o: Any, s: Any) -> None:
        tcgen05.commit_tmem()

    spec = jax.ShapeDtypeStruct((128,), jax.numpy.int32)
    assert trace(body, (), spec, module=raw, arch=HOPPER)


@pytest.mark.parametrize("module", ["fragmented_array", "utils"])
def test_the_package_has_the_mirrors_functions(module: str) -> None:
    """A function that is ours in its module, and raw in the package, would be a way round the gate."""
    mirror, raw_module = getattr(mgpu, module), getattr(raw, module)
    names = {name for name, value in vars(mirror).items() if name[0] != "_" and callable(value)}
    ours = {name for name in names if hasattr(raw, name) and hasattr(raw_module, name)}
    assert len(ours) > 5
    assert [name for name in ours if getattr(mgpu, name) is not getattr(mirror, name)] == []


# --- stating it


def nothing(ctx: Any, o: Any, s: Any) -> None: ...


def fenced(ctx: Any, o: Any, s: Any) -> None:
    tcgen05.commit_tmem()


class Hopper(mgpu.Scratch[mgpu.sm_90a]):
    tile = mgpu.SMEM((128,), mgpu.int32)


class Derived(Hopper):
    bar = mgpu.Barrier(1)


class Generic_[D: mgpu.DType](mgpu.Scratch[mgpu.sm_100a]):
    def __init__(self, dtype: type[D]) -> None:
        self.tile = mgpu.SMEM((128,), dtype)


class OfAny[A](mgpu.Scratch[A]):
    tile = mgpu.SMEM((128,), mgpu.int32)


class OfBlackwell(OfAny[mgpu.sm_100a]): ...


class Outer(mgpu.Scratch):
    inner = [Hopper, mgpu.Barrier(1)]


def in_context(ctx: mgpu.LaunchContext[mgpu.sm_100a], o: Any, s: Any) -> None: ...


def in_nothing_known(ctx: Any, o: Any, s: Any) -> None: ...


def as_text(ctx: mgpu.LaunchContext[mgpu.sm_100a], o: Any, s: Any) -> None: ...


as_text.__annotations__ = {"ctx": "mgpu.LaunchContext[mgpu.sm_100a]"}
as_value = functools.partial(as_text)
in_nothing_known.__annotations__ = {"ctx": "what_is_there_for_checkers[alone]"}


class Callable_:
    def __call__(self, ctx: mgpu.LaunchContext[mgpu.sm_100a], o: Any, s: Any) -> None: ...


def make(body: Any = nothing, scratch: Any = (), **options: Any) -> Any:
    return TYPED.as_gpu_kernel(body, (1, 1, 1), (128, 1, 1), (), OUT, scratch, **options)


STATED = [
    ("arch", {"arch": sm_120a}, sm_120a),
    ("scratch", {"scratch": Hopper}, sm_90a),
    ("scratch object", {"scratch": Hopper()}, sm_90a),
    ("derived scratch", {"scratch": Derived}, sm_90a),
    ("generic scratch", {"scratch": Generic_(mgpu.int32)}, sm_100a),
    ("scratch of a parameter", {"scratch": OfBlackwell}, sm_100a),
    ("scratch of nothing", {"scratch": OfAny}, None),
    ("scratch inside", {"scratch": Outer}, sm_90a),
    ("scratch in a tuple", {"scratch": (Hopper(), mgpu.Barrier(1))}, sm_90a),
    ("scratch in a union", {"scratch": mgpu.Union([Hopper(), mgpu.SMEM((8,), mgpu.int8)])}, sm_90a),
    ("context", {"body": in_context}, sm_100a),
    ("context of a string", {"body": as_text}, sm_100a),
    ("context of a partial", {"body": as_value}, sm_100a),
    ("context of an object", {"body": Callable_()}, sm_100a),
    ("context unknown", {"body": in_nothing_known}, None),
    ("everywhere", {"body": in_context, "scratch": OfBlackwell, "arch": sm_100a}, sm_100a),
    ("nowhere", {}, None),
]


@pytest.mark.parametrize("options, arch", [each[1:] for each in STATED], ids=[each[0] for each in STATED])
def test_what_is_stated_is_what_is_lowered_for(options: dict[str, Any], arch: type[Architecture] | None) -> None:
    kernel, result = lower(lambda: make(**options))
    major, minor = arch.compute_capability if arch else (9, 0)
    assert f"mosaic_gpu.arch_major = {major} : i32, mosaic_gpu.arch_minor = {minor} : i32" in result.text
    assert TYPED.stated_architecture(kernel) is arch
    assert TYPED.stated_architecture(jax.jit(kernel)) is arch
    assert TYPED.stated_architecture(functools.partial(jax.jit(kernel))) is arch
    assert TYPED.stated_architecture(jax.jit(lambda *arrays: kernel(*arrays))) is None


def test_it_needs_no_context_of_the_tests() -> None:
    assert TYPED.stated_architecture(make(fenced, arch=sm_100a)) is sm_100a
    with pytest.raises(mgpu.RuleError, match=r"SG601: tcgen05\.commit_tmem needs"):
        make(fenced, arch=sm_90a)
    make(fenced)  # a CPU says nothing of the architecture
    assert raw_utils._infer_arch() == (9, 0)


@pytest.mark.parametrize("options, places", [
    ({"scratch": Hopper, "arch": sm_100a}, r"arch=sm_100a and Hopper\(Scratch\[sm_90a\]\)"),
    ({"scratch": Hopper, "body": in_context}, r"Hopper\(Scratch\[sm_90a\]\) and ctx: LaunchContext\[sm_100a\]"),
    ({"arch": sm_120a, "body": in_context}, r"arch=sm_120a and ctx: LaunchContext\[sm_100a\]"),
    ({"scratch": (Hopper(), OfBlackwell())}, r"Hopper\(Scratch\[sm_90a\]\) and OfBlackwell\(Scratch\[sm_100a\]\)"),
])  # fmt: skip
def test_places_that_disagree(options: dict[str, Any], places: str) -> None:
    with pytest.raises(mgpu.RuleError, match=f"SG602: .*{places}") as caught:
        make(**options)
    assert caught.value.code == "SG602"


def test_lowered_for_another_architecture_than_stated() -> None:
    assert lowered(lambda: make(arch=sm_90a), HOPPER)
    with pytest.raises(
        mgpu.RuleError, match=r"SG602: .*states arch=sm_90a, .*compute capability 10\.0; lower it for sm_90a"
    ):
        lowered(lambda: make(arch=sm_90a), BLACKWELL)


class OfTwo(mgpu.Scratch[mgpu.sm_103a | mgpu.sm_110a]):
    tile = mgpu.SMEM((64, 64), mgpu.float16)


def test_several_architectures() -> None:
    def told(capability: Any, **options: Any) -> Any:
        return TYPED.stated_architecture(lower(lambda: make(scratch=OfTwo, **options), capability)[0])

    assert told(None) is architectures.sm_103a, "the first, where nobody asks for one of them"
    assert told((10, 3)) is architectures.sm_103a
    assert told((11, 0)) is told(None, arch=architectures.sm_110a) is architectures.sm_110a
    stated = r"OfTwo\(Scratch\[sm_103a \| sm_110a\]\)"
    with pytest.raises(mgpu.RuleError, match=f"SG602: .*{stated}.* 9.0; lower it for sm_103a or sm_110a"):
        told(HOPPER)
    with pytest.raises(mgpu.RuleError, match=f"SG602: .*arch=sm_90a and {stated}"):
        told(None, arch=sm_90a)
    with pytest.raises(mgpu.RuleError, match=rf"SG602: .*{stated} and ctx: LaunchContext\[sm_100a\]"):
        told(None, body=in_context)


type Either = mgpu.sm_103a | mgpu.sm_110a
type ContextOf[A] = mgpu.LaunchContext[A]
type Context = ContextOf[mgpu.sm_100a]


class OfAlias(mgpu.Scratch[Either]):
    tile = mgpu.SMEM((64, 64), mgpu.float16)


class OfUnion(mgpu.Scratch[Union[mgpu.sm_103a, Either]]):  # noqa: UP007  # the older spelling
    tile = mgpu.SMEM((64, 64), mgpu.float16)


@pytest.mark.parametrize("scratch", [OfAlias, OfUnion])
def test_an_alias_states_what_it_stands_for(scratch: Any) -> None:
    kernel = lower(lambda: make(scratch=scratch))[0]
    assert TYPED.stated_architecture(kernel) is architectures.sm_103a


def test_an_alias_of_the_context_states_what_it_stands_for() -> None:
    def body(ctx: Context, *references: Any) -> None: ...

    assert TYPED.stated_architecture(lower(lambda: make(body=body))[0]) is architectures.sm_100a


def test_arch_is_a_token() -> None:
    with pytest.raises(TypeError, match=r"arch must be one of mgpu\.sm_80, mgpu\.sm_90a, .*got 'sm_90a'"):
        make(arch="sm_90a")
    with pytest.raises(TypeError, match="arch must be one of"):
        make(arch=HasTcgen05)


@pytest.mark.parametrize("arch", ARCHITECTURES, ids=lambda each: each.__name__)
def test_the_bytes_are_those_of_the_raw_kernel_for_it(arch: type[Architecture]) -> None:
    spec = jax.ShapeDtypeStruct((128,), jax.numpy.int32)

    def body(ctx: Any, x: Any, o: Any, s: Any) -> None:
        raw.FragmentedArray.load_strided(x, is_signed=True).store_untiled(o)

    def kernel(module: Any, **options: Any) -> Any:
        return lambda: module.as_gpu_kernel(body, (1, 1, 1), (128, 1, 1), (spec,), spec, (), **options)

    expected = lowered(kernel(raw), arch.compute_capability)
    assert lowered(kernel(mgpu, arch=arch)) == lowered(kernel(mgpu), arch.compute_capability) == expected


def test_another_thread_is_not_told() -> None:
    answers = []
    with _jax.architecture((10, 0)):
        thread = threading.Thread(target=lambda: answers.append((raw_utils._infer_arch(), _jax.known_capability())))
        thread.start()
        thread.join()
        assert raw_utils._infer_arch() == _jax.known_capability() == (10, 0)
        with _jax.architecture(None):
            assert (raw_utils._infer_arch(), _jax.known_capability()) == ((9, 0), None)
    assert answers == [((9, 0), None)]


def test_the_gpu_that_jax_has_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gpu:
        compute_capability = "10.3"
        device_kind = "a GPU"

    monkeypatch.setattr(_jax, "get_default_device", Gpu)
    monkeypatch.setattr(raw_utils.jex_backend, "get_default_device", Gpu)
    assert _jax.known_capability() == (10, 3)
    with pytest.raises(mgpu.RuleError, match="this kernel is lowered for sm_103a"):
        make(OPERATIONS["wgmma_groups"].body)


def test_every_class_takes_an_architecture() -> None:
    for made in (
        TYPED.Scratch[sm_90a],
        TYPED.LaunchContext[sm_90a],
        TYPED.GmemRef[mgpu.int8, sm_90a],
        TYPED.SmemRef[mgpu.int8, Any, sm_90a],
        TYPED.ClusterSmemRef[mgpu.int8, Any, sm_90a],
        TYPED.MultimemRef[mgpu.int8, sm_90a],
        TYPED.DenseTMEM[mgpu.int8, Any, Any, sm_100a],
        TYPED.ScalesTMEM[mgpu.int8, Any, sm_100a],
        TYPED.SparseMetaTMEM[Any, sm_100a],
    ):
        assert made.__args__[-1] in (sm_90a, sm_100a)
