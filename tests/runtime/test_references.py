"""References: their classes, `wrap`, views, and what is known of a buffer wherever it goes."""

from typing import Any

import jax
import jax.experimental.mosaic.gpu as raw
import pytest
from jax.experimental.mosaic.gpu import utils as raw_utils
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import memref, scf

import safegpu as mgpu
from safegpu import utils
from safegpu._facts import Facts, facts_of
from safegpu.refs import MultimemAddress
from tests.runtime.kernels import BLACKWELL, in_kernel

X = mgpu.Dimension.x
TILED = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
KNOWN = Facts(mgpu.float16, 128, (8, 64))


def plain(ref: ir.Value) -> ir.Value:
    """The value as Mosaic GPU hands it out."""
    return ref.maybe_downcast()


# --- what a body receives


@in_kernel(scratch=TILED)
def test_a_reference_is_the_value_and_knows_more(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    assert type(x) is type(o) is mgpu.GmemRef
    assert type(smem) is mgpu.SmemRef
    assert isinstance(smem, ir.Value)
    assert smem == plain(smem)
    assert hash(smem) == hash(plain(smem))
    assert (x.dtype, x.shape, x.element_type) == (mgpu.int32, (128,), ir.IntegerType.get_signless(32))
    assert (smem.dtype, smem.shape, smem.swizzle) == (mgpu.float16, (8, 1, 8, 64), 128)
    assert repr(x) == "GmemRef(memref<128xi32>)"


@in_kernel(inputs=jax.ShapeDtypeStruct((128,), "uint32"), scratch=jax.ShapeDtypeStruct((8,), "int8"))
def test_specs_of_jax_tell_the_dtype_alone(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    assert x.dtype is mgpu.uint32
    assert facts_of(smem) == Facts(mgpu.int8)
    assert smem.swizzle is None


@in_kernel(scratch=mgpu.SMEM((64,), mgpu.float16))
def test_an_smem_spec_without_a_swizzle_has_mosaics_default(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    assert smem.swizzle == 16


# --- wrap


@in_kernel(scratch=TILED)
def test_wrap_is_the_same_value_with_its_facts(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    cluster = utils.get_cluster_ref(plain(smem), X, mgpu.c(0, mgpu.Index))
    for cls, value, dtype in (
        (mgpu.GmemRef, x, mgpu.uint32),
        (mgpu.SmemRef, smem, mgpu.float16),
        (mgpu.ClusterSmemRef, cluster, mgpu.float16),
    ):
        wrapped = cls.wrap(plain(value), dtype, shape=cls(value).shape)
        assert type(wrapped) is cls
        assert wrapped == plain(value)
        assert wrapped.dtype is dtype


@in_kernel(scratch=jax.ShapeDtypeStruct((8,), "int8"))
def test_wrap_takes_the_swizzle_as_the_authors_word(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    assert mgpu.SmemRef.wrap(plain(smem), mgpu.uint8, swizzle=32).swizzle == 32
    assert facts_of(smem) == Facts(mgpu.uint8, 32)
    with pytest.raises(ValueError, match="declared with swizzle=32, got swizzle=64; leave it out"):
        mgpu.SmemRef.wrap(plain(smem), mgpu.uint8, swizzle=64)
    # What a later wrap leaves out stays known.
    assert mgpu.SmemRef.wrap(plain(smem), ir.IntegerType.get_signless(8)).dtype is mgpu.uint8


@in_kernel()
def test_wrap_accepts_both_types_of_a_cluster_reference(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    for space in (None, ir.Attribute.parse("7 : i32")):
        ref_type = ir.MemRefType.get((8,), ir.F32Type.get(), memory_space=space)
        value = memref.alloca(ref_type, [], [])
        assert type(mgpu.ClusterSmemRef.wrap(value, mgpu.float32)) is mgpu.ClusterSmemRef


def refuses(error: type[Exception], message: str, wrap: Any, *args: Any, **kwargs: Any) -> None:
    with pytest.raises(error) as caught:
        wrap(*args, **kwargs)
    assert str(caught.value) == message


@in_kernel(
    scratch=(mgpu.SMEM((8,), mgpu.float32), mgpu.Barrier(1), mgpu.TMEM((128, 32), mgpu.float32)),
    arch=BLACKWELL,
)
def test_wrap_refuses_what_is_no_memref(ctx: Any, x: Any, o: Any, scratch: Any) -> None:
    _, barrier, tmem = scratch
    refuses(
        TypeError,
        "SmemRef.wrap: expected a shared-memory reference (an ir.Value of memref type), got BarrierRef",
        mgpu.SmemRef.wrap, barrier, mgpu.float32,
    )  # fmt: skip
    refuses(
        TypeError,
        "GmemRef.wrap: expected a global-memory reference (an ir.Value of memref type), got index",
        mgpu.GmemRef.wrap, plain(mgpu.block_id(X)), mgpu.float32,
    )  # fmt: skip
    refuses(
        TypeError,
        "ClusterSmemRef.wrap: expected a cluster shared-memory reference (an ir.Value of memref type), "
        "got DenseTMEM",
        mgpu.ClusterSmemRef.wrap, tmem, mgpu.float32,
    )  # fmt: skip
    refuses(
        TypeError,
        "MultimemRef.wrap: expected a multimem reference, got GmemRef; "
        "LaunchContext.to_remote_multicast makes one of a global-memory reference",
        mgpu.MultimemRef.wrap, x, mgpu.int32,
    )  # fmt: skip


@in_kernel(scratch=mgpu.SMEM((8,), mgpu.float32))
def test_wrap_refuses_another_memory_space(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    shared = "memref<8xf32, #gpu.address_space<workgroup>>"
    refuses(
        TypeError,
        "SmemRef.wrap: expected a shared-memory reference, got a global-memory one: memref<128xi32>; "
        "use GmemRef.wrap",
        mgpu.SmemRef.wrap, plain(x), mgpu.int32,
    )  # fmt: skip
    for cls, space in ((mgpu.GmemRef, "global-memory"), (mgpu.ClusterSmemRef, "cluster shared-memory")):
        refuses(
            TypeError,
            f"{cls.__name__}.wrap: expected a {space} reference, got a shared-memory one: {shared}; "
            "use SmemRef.wrap",
            cls.wrap, plain(smem), mgpu.float32,
        )  # fmt: skip
    tmem = memref.alloca(ir.MemRefType.get((8,), ir.F32Type.get(), memory_space=raw_utils.tmem()), [], [])
    for cls in (mgpu.GmemRef, mgpu.SmemRef, mgpu.ClusterSmemRef):
        with pytest.raises(
            TypeError, match=r"got a TMEM one: .*; use DenseTMEM.wrap, SparseMetaTMEM.wrap or ScalesTMEM"
        ):
            cls.wrap(tmem, mgpu.float32)


@in_kernel(scratch=mgpu.SMEM((8,), mgpu.float32))
def test_a_class_is_not_lost_where_the_types_are_equal(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    cluster = mgpu.get_cluster_ref(smem, X, mgpu.c(0, mgpu.Index))
    refuses(
        TypeError,
        "GmemRef.wrap: expected a global-memory reference, got a cluster shared-memory one: memref<8xf32>; "
        "use ClusterSmemRef.wrap",
        mgpu.GmemRef.wrap, cluster, mgpu.float32,
    )  # fmt: skip
    with pytest.raises(TypeError, match="got a global-memory one"):
        mgpu.ClusterSmemRef.wrap(x, mgpu.int32)


@in_kernel(scratch=mgpu.SMEM((8,), mgpu.float32))
def test_wrap_refuses_another_dtype_shape_or_swizzle(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    refuses(
        ValueError,
        "SmemRef.wrap: expected elements of float16 (f16), got f32; "
        "pass the dtype that it was declared with as dtype",
        mgpu.SmemRef.wrap, smem, mgpu.float16,
    )  # fmt: skip
    refuses(
        ValueError,
        "SmemRef.wrap: expected shape (4, 2), got (8,); correct or leave out shape",
        mgpu.SmemRef.wrap, smem, mgpu.float32, shape=(4, 2),
    )  # fmt: skip
    refuses(
        ValueError,
        "SmemRef.wrap: swizzle must be 16 (none), 32, 64 or 128 bytes, got 48",
        mgpu.SmemRef.wrap, smem, mgpu.float32, swizzle=48,
    )  # fmt: skip


# --- views

VIEWS = [
    lambda m, ref: m.memref_slice(ref, (slice(0, 4), 0)),
    lambda m, ref: m.memref_slice(ref=ref, index=m.ds(mgpu.c(2, mgpu.Index), 4)),
    lambda m, ref: m.memref_transpose(ref, (1, 0, 2, 3)),
    lambda m, ref: m.memref_reshape(ref, (8, 8, 64)),
    lambda m, ref: m.memref_reshape(ref, (8, 1, 8, 64)),
    lambda m, ref: m.memref_fold(ref, 0, 2),
    lambda m, ref: m.memref_unfold(ref, 3, (2, None)),
    lambda m, ref: m.memref_unsqueeze(ref, 0),
]


@in_kernel(scratch=TILED)
def test_views_keep_the_class_and_raw_stays_raw(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    cluster = mgpu.get_cluster_ref(smem, X, mgpu.c(0, mgpu.Index))
    for ref in (smem, cluster):
        for view in VIEWS:
            assert type(view(mgpu, ref)) is type(ref)
            assert facts_of(view(mgpu, ref)) == KNOWN
            assert not isinstance(view(mgpu, plain(ref)), type(ref))


@in_kernel(scratch=TILED)
def test_facts_survive_raw_views(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    for first in VIEWS:
        ref = first(raw, smem)
        assert facts_of(ref) == KNOWN
        assert facts_of(raw.memref_slice(ref, 0)) == KNOWN


@in_kernel(scratch=TILED, grid=(2, 1, 1), cluster=(2, 1, 1))
def test_a_cluster_reference_is_of_its_own_class_with_the_facts(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    for generic in (True, False):
        ref = mgpu.get_cluster_ref(smem, X, mgpu.c(1, mgpu.Index), generic)
        assert type(ref) is mgpu.ClusterSmemRef
        assert (ref.dtype, ref.swizzle) == (mgpu.float16, 128)
    of_raw = mgpu.get_cluster_ref(plain(smem), X, mgpu.c(1, mgpu.Index))
    assert not isinstance(of_raw, mgpu.ClusterSmemRef)
    assert facts_of(of_raw) == KNOWN


@in_kernel(scratch=TILED)
def test_loops_keep_classes_and_facts(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    @mgpu.fori(mgpu.c(2, mgpu.Index), (smem, {"x": x, "n": mgpu.c(0, mgpu.int32)}))
    def loop(i: Any, carry: Any) -> Any:
        ref, others = carry
        assert type(i) is mgpu.Index
        assert type(ref) is mgpu.SmemRef
        assert type(others["x"]) is mgpu.GmemRef
        assert facts_of(mgpu.memref_slice(ref, i)) == KNOWN
        return ref, {"x": others["x"], "n": others["n"] + 1}

    ref, others = loop.results
    assert type(ref) is mgpu.SmemRef
    assert type(others["n"]) is mgpu.I32
    assert facts_of(ref) == KNOWN
    assert others["x"].dtype is mgpu.int32


@in_kernel(scratch=TILED)
def test_facts_survive_raw_loops(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    @raw.fori(mgpu.c(2, mgpu.Index), plain(smem))
    def loop(i: Any, ref: Any) -> Any:
        assert facts_of(ref) == KNOWN
        return ref

    assert facts_of(loop.result) == KNOWN


@in_kernel(scratch=(TILED, TILED))
def test_what_a_branch_gives_is_unknown(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    branch = scf.IfOp(mgpu.c(1, mgpu.bool_), [smem[0].type], has_else=True)
    for block, ref in zip((branch.then_block, branch.else_block), smem, strict=True):
        with ir.InsertionPoint(block):
            scf.yield_([ref])
    assert facts_of(branch.results[0]) == Facts()


def test_nothing_is_known_outside_a_trace() -> None:
    seen = []

    @in_kernel()
    def body(ctx: Any, x: Any, o: Any, smem: Any) -> None:
        seen.append(x)

    body()
    assert facts_of(seen[0]) == Facts()


# --- other devices


@in_kernel(peers=2)
def test_remote_references(ctx: Any, x: Any, o: Any, smem: Any) -> None:
    peer = ctx.device_id()
    assert type(peer) is mgpu.I32
    part = mgpu.memref_slice(x, slice(0, 64))
    remote = ctx.to_remote(part, (peer + 1) % 2)
    assert type(remote) is mgpu.GmemRef
    assert remote.dtype is mgpu.int32
    assert not isinstance(ctx.to_remote(plain(part), peer), mgpu.GmemRef)

    multimem = ctx.to_remote_multicast(o)
    for ref in (
        multimem,
        mgpu.memref_reshape(multimem, (2, 64)),
        mgpu.memref_fold(mgpu.memref_reshape(multimem, (2, 64)), 0, 2),
        mgpu.MultimemRef.wrap(raw_utils.MultimemRef(plain(multimem.ref)), mgpu.int32, shape=(128,)),
    ):
        assert type(ref) is mgpu.MultimemRef
        assert type(ref.ref) is MultimemAddress
        assert (ref.dtype, ref.element_type) == (mgpu.int32, ir.IntegerType.get_signless(32))
    with pytest.raises(ValueError, match=r"expected shape \(3,\), got \(128,\)"):
        mgpu.MultimemRef.wrap(multimem, mgpu.int32, shape=(3,))
    # The address in it has the type of a global-memory reference, and is none.
    with pytest.raises(TypeError, match=r"GmemRef.wrap: expected a global-memory reference, got a multimem one"):
        mgpu.GmemRef.wrap(multimem.ref, mgpu.int32)
