"""Where a kernel's body and the specs in `as_gpu_kernel` disagree, in words."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from safegpu.check.compare import BARRIERS, REFERENCES, argument, differences, is_architecture, short
from safegpu.check.typeexpr import LIST, Type, parse

SPECS = ("in_shape", "inout_shape", "out_shape")
"""In the order of the body's parameters."""
CONTEXT = Type("LaunchContext")
GLOBAL = "GmemRef"
_FUNCTION = re.compile(r"^def (?:\[.*?\] )?\((?P<parameters>.*?)\)(?: -> (?P<result>.*))?$")

_CLASS = re.compile(r"\bdef \(.*?\) -> (?:\w+\.)*(?P<name>\w+)")
"""mypy's words for a class that is passed itself."""


@dataclass(frozen=True)
class _Parameter:
    annotated: Type
    name: str = ""


def disagreement(given: Mapping[str, Type], body: str) -> str:
    """What of the arguments does not go together; empty where that cannot be told."""
    for spec in SPECS:
        for made in _made(given.get(spec)) or []:
            if made.name in (REFERENCES | BARRIERS) - {GLOBAL}:
                return (
                    f"argument `{spec}` of as_gpu_kernel: got {short(made)}, expected GmemRef (mgpu.GMEM);"
                    " SMEM, TMEM and barriers belong in smem_scratch_shape"
                )
    scratch = given.get("smem_scratch_shape")
    if scratch and scratch.name.startswith("tuple[") and (match := _CLASS.search(scratch.name)):
        return f"argument `smem_scratch_shape` of as_gpu_kernel: beside other specs pass an object, `{match['name']}()`"
    parameters, expected = _parameters(given.get("body")), _expected(given)
    if parameters is None or expected is None:
        return ""
    if len(parameters) != len(expected):
        made = ", ".join(str(short(each)) for each in expected)
        return f"{body} takes {len(parameters)} parameters, the specs make {len(expected)}: {made}"
    found = [
        (number, parameter, made)
        for number, (parameter, made) in enumerate(zip(parameters, expected, strict=True), start=1)
        if differences(made, parameter.annotated)
    ]
    # a class of scratch may be a subclass of the one that is annotated: the rest is more likely what is wrong
    sure = [each for each in found if each[0] < len(expected)] or found
    return "; ".join(
        f"parameter {number}{f' (`{parameter.name}`)' if parameter.name else ''} of {body}:"
        f" annotated {short(parameter.annotated)}, its spec makes {short(made)}"
        for number, parameter, made in sure
    )


def other_architecture(given: Mapping[str, Type], body: str, of_scratch: Callable[[str], Type | None]) -> str:
    """Which architecture `arch=` names and which the body states, where nothing else disagrees; otherwise empty."""
    arch = _made_by(given.get("arch"))
    if arch is None or not is_architecture(arch) or disagreement(given, body):
        return ""
    parameters = _parameters(given.get("body"))
    context = argument(parameters[0].annotated, "architecture") if parameters else None
    scratch = _made_by(given.get("smem_scratch_shape")) or Type("Any")
    said = [
        f"{who} states {states}"
        for who, states in (
            (f"the context of {body}", context),
            (f"the scratch {scratch.name}", of_scratch(scratch.name)),
        )
        if states and states.name != "Any" and differences(arch, states)
    ]
    return f"arch= is {arch}, {' and '.join(said) or f'{body} states another'}"


def _made_by(spec: Type | None) -> Type | None:
    """What a class that is passed itself makes, or the type of the object that is passed."""
    if spec is None:
        return None
    if match := _FUNCTION.match(spec.name):
        return parse(match["result"] or "None")
    return spec.args[0] if spec.name == "type" and spec.args else spec


def _expected(given: Mapping[str, Type]) -> list[Type] | None:
    """What the body receives: context, inputs, buffers that are both, outputs, scratch."""
    expected = [CONTEXT]
    for spec in SPECS:
        if spec == "inout_shape" and spec not in given:
            continue
        made = _made(given.get(spec))
        if made is None:
            return None
        expected += made
    scratch = given.get("smem_scratch_shape")
    if scratch is None or scratch.name == "Any" or scratch.name.startswith("Overload"):
        return None
    return [*expected, _made_by(scratch) or scratch]


def _made(spec: Type | None) -> list[Type] | None:
    """The references that specs become; None where that is unknown."""
    if spec is None or spec.name == "Any":
        return None
    if spec.name == "tuple":
        return None if any(each.name in ("...", "Any", "tuple") for each in spec.args) else list(spec.args)
    if spec.name == "tuple[()]":
        return []
    return [spec] if spec.name in REFERENCES | BARRIERS else None


def _parameters(body: Type | None) -> list[_Parameter] | None:
    if body is None:
        return None
    if body.name == "Callable" and body.args and body.args[0].name == LIST:
        return [_Parameter(each) for each in body.args[0].args]
    match = _FUNCTION.match(body.name)
    if not match:
        return None
    parameters = []
    for written in _split(match["parameters"]):
        name, colon, annotated = written.partition(": ")
        if not colon or name.startswith("*"):
            return None
        parameters.append(_Parameter(parse(annotated.removesuffix(" = ...")), name))
    return parameters


def _split(parameters: str) -> list[str]:
    parts, depth = [""], 0
    for character in parameters:
        depth += (character in "[(") - (character in "])")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]
