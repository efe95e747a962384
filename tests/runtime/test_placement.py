"""Where safegpu says that scratch lies is where Mosaic GPU puts it."""

from typing import Any

import pytest

import safegpu as mgpu
from safegpu._jax import ir, jax
from safegpu._placement import Allocation, allocations
from safegpu.offline.lowering import tracing_context
from safegpu.watch.scratch import address_of

TILE = mgpu.SMEM((64, 64), mgpu.float16, swizzle=128)
HALVES = mgpu.SMEM((6,), mgpu.float16)


class Base(mgpu.Scratch):
    small = HALVES
    ring = mgpu.Many(mgpu.SMEM((4,), mgpu.int8), 3)


class Inner(mgpu.Scratch):
    nibbles = mgpu.SMEM((16,), mgpu.int4)
    full = mgpu.Barrier(1, num_barriers=2)


class Everything(Base):
    tile = TILE
    acc = mgpu.TMEM((128, 64), mgpu.float32)
    by_name = {"z": HALVES, "a": TILE}
    shared = mgpu.Union([(TILE, HALVES), mgpu.Union([mgpu.SMEM((9000,), mgpu.int8), TILE])])
    behind = mgpu.SMEM((8,), mgpu.float16)
    lists = [HALVES, (HALVES, [TILE])]
    inner = Inner()
    last = jax.ShapeDtypeStruct((2, 2), "float32")


def lies(specs: Any) -> dict[str, int]:
    """The buffers by name, as safegpu counts."""
    return {each.name: each.start for each in allocations(specs) if each.is_buffer}


def put(specs: Any) -> list[int]:
    """The buffers in the order of the tree, as Mosaic GPU has put them."""
    found: list[int] = []

    def look(references: Any) -> None:
        if isinstance(references, mgpu.Scratch):
            look(list(vars(references).values()))
        elif isinstance(references, mgpu.Union):
            look(list(references.members))
        elif isinstance(references, tuple | list):
            list(map(look, references))
        elif isinstance(references, dict):
            look([references[name] for name in sorted(references)])
        elif isinstance(references, ir.Value):
            address = address_of(references)
            assert address is not None
            found.append(address[0])

    kernel: Any = mgpu.as_gpu_kernel
    with tracing_context((10, 0)):
        kernel(lambda ctx, o, s: look(s), (1, 1, 1), (128, 1, 1), (), mgpu.GMEM((64, 64), mgpu.float16), specs)
    return found


@pytest.mark.parametrize(
    "specs", [Everything, Everything(), Inner, (HALVES, TILE), [TILE, {"b": HALVES, "a": (TILE,)}], TILE, (Base, TILE)]
)
def test_buffers_lie_where_mosaic_gpu_puts_them(specs: Any) -> None:
    assert list(lies(specs).values()) == put(specs)


def test_names_are_those_of_the_author() -> None:
    assert list(lies(Everything)) == [
        "Everything.small", "Everything.ring[0]", "Everything.ring[1]", "Everything.ring[2]", "Everything.tile",
        "Everything.by_name['a']", "Everything.by_name['z']", "Everything.shared.members[0][0]",
        "Everything.shared.members[0][1]", "Everything.shared.members[1].members[0]",
        "Everything.shared.members[1].members[1]", "Everything.behind", "Everything.lists[0]",
        "Everything.lists[1][0]", "Everything.lists[1][1][0]", "Everything.inner.nibbles", "Everything.last",
    ]  # fmt: skip
    assert list(lies((HALVES, [TILE]))) == ["scratch[0]", "scratch[1][0]"]


def test_a_view_lies_where_it_begins() -> None:
    ring = mgpu.SMEM((4, 64, 64), mgpu.float16, swizzle=128)

    def body(ctx: Any, o: Any, s: Any) -> None:
        _, ring = s
        block = mgpu.block_id(mgpu.Dimension.x)
        assert address_of(mgpu.memref_slice(ring, 3)) == (12 + 3 * 8192, 0, 12)
        assert address_of(mgpu.memref_slice(ring, block)) == (12, 8192, 12)
        part = mgpu.memref_slice(mgpu.memref_slice(ring, mgpu.ds(block, 2)), (1, 4))
        assert address_of(mgpu.memref_transpose(part, (1, 0, 2))) == (12 + 8192 + 4 * 1024, 8192, 12)
        assert address_of(o) is None
        assert address_of(mgpu.get_cluster_ref(ring, mgpu.Dimension.x, mgpu.c(0, mgpu.Index))) is None

    kernel: Any = mgpu.as_gpu_kernel
    with tracing_context((9, 0)):
        kernel(body, (1, 1, 1), (128, 1, 1), (), mgpu.GMEM((64, 64), mgpu.float16), (HALVES, ring))


def test_an_allocation_ends_where_the_next_begins() -> None:
    found = [each for each in allocations(Inner)]
    assert [(each.start, each.end) for each in found] == [(0, 8), (8, 24)]
    assert all(isinstance(each, Allocation) for each in found)
