"""Every public name of Mosaic GPU, and every public member of its classes, is typed or left out for a reason."""

import ast

import pytest

from tests.surface.reading import MODULES, classes, exported, members, mosaic, public, public_members, stubs

LEFT_OUT = {
    "constraints | core | dialect_lowering | inference_utils | layout_inference | mma_utils": (
        "modules of Mosaic GPU's own; what authors use of them are names of the package"
    ),
    "utils.logger": "for Mosaic GPU's own messages",
    "Barrier.* | ClusterBarrier.* | CtaBarrier.* | TMABarrier.* | TMEM.*": (
        "a spec is, to a checker, the reference that it becomes"
    ),
    "LaunchContext.buffers | LaunchContext.tma_descriptors | LaunchContext.num_params": (
        "what the context records of the launch, host side"
    ),
    "launch_context.OnDeviceProfiler.ctx": "of a private class",
    "tcgen05.TMEMRef.load | tcgen05.TMEMRef.store | tcgen05.TMEMRef.slice": (
        "belong to what the memory holds: DenseTMEM, ScalesTMEM, SparseMetaTMEM"
    ),
}
"""What is not typed, and why; `*` stands for all members."""

NAMES = {name for names in LEFT_OUT for name in names.split(" | ")}


def missing() -> set[str]:
    found = set()
    for module in MODULES:
        prefix = "" if module == "__init__" else f"{module}."
        found |= {f"{prefix}{name}" for name in public(module).keys() - exported(module).keys()}
    for name, (cls, what) in classes().items():
        absent = public_members(cls) - members(what).keys()
        untyped = {f"{name}.*"} if not members(what) and absent else set()
        found |= untyped or {f"{name}.{each}" for each in absent}
    return found


def test_what_is_not_typed_is_left_out_for_a_reason() -> None:
    assert missing() - NAMES == set()


def test_nothing_is_left_out_that_is_typed() -> None:
    # not every version of jax has all of these classes
    specs = {name for name in NAMES if name.endswith(".*") and not hasattr(mosaic("__init__"), name.removesuffix(".*"))}
    assert NAMES - specs - missing() == set()


@pytest.mark.parametrize(("name", "sees"), [("utils", 60), ("fragmented_array", 40), ("__init__", 80)])
def test_the_comparison_sees_the_surface(name: str, sees: int) -> None:
    assert len(public(name)) > sees
    assert len(exported(name)) > sees


def test_every_name_of_the_typed_surface_is_explained() -> None:
    """At one of its overloads, mostly the last; what Python calls by itself needs no words."""
    without = set()
    for stub in stubs():
        for name, what in exported(stub).items():
            if what.stub == stub and (what.functions or what.of_class):
                own = {name: what.nodes}
                for node in what.of_class.body if what.of_class else ():
                    if isinstance(node, ast.FunctionDef) and not node.name.startswith("__"):
                        own[f"{name}.{node.name}"] = (*own.get(f"{name}.{node.name}", ()), node)
                without |= {each for each, nodes in own.items() if not any(map(_docstring, nodes))}
    assert without == set()


def _docstring(node: ast.stmt) -> str | None:
    return ast.get_docstring(node) if isinstance(node, ast.FunctionDef | ast.ClassDef) else None
