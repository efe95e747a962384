"""Which operands MLIR lets into each operation of `arith` and `math` that the stubs type by their operands.

Run beside jaxlib: prints JSON of {operation: {type of all operands, or of the first and the others: accepted}}.
"""

import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import arith, math

DIALECTS = {"arith": arith, "math": math}


def operations(stubs: Path) -> Iterator[tuple[str, str, int]]:
    """Dialect, function and number of operands, of each function with a type variable."""
    for dialect in DIALECTS:
        seen = set()
        for node in ast.parse((stubs / f"{dialect}.pyi").read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.type_params and node.name not in {*seen, "select"}:
                seen.add(node.name)
                names = [{one.id for one in ast.walk(each) if isinstance(one, ast.Name)} for each in node.args.args]
                yield dialect, node.name, sum("V" in each for each in names)


def accepted(dialect: str, name: str, operands: list[ir.Type]) -> bool:
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        cast = "builtin.unrealized_conversion_cast"
        values = [ir.Operation.create(cast, results=[one], operands=[]).result for one in operands]
        predicate = [0] if name.startswith("cmp") else []
        try:
            getattr(DIALECTS[dialect], name)(*predicate, *values)
            return bool(module.operation.verify())
        except ir.MLIRError:
            return False


def main(stubs: Path) -> dict[str, dict[str, bool]]:
    with mlir.make_ir_context(), ir.Location.unknown():
        types = {
            "Index": ir.IndexType.get(),
            "I32": ir.IntegerType.get_signless(32),
            "F32": ir.F32Type.get(),
            "IntVector": ir.VectorType.get([4], ir.IntegerType.get_signless(32)),
            "FloatVector": ir.VectorType.get([4], ir.F32Type.get()),
        }
        table: dict[str, dict[str, bool]] = {}
        for dialect, name, count in operations(stubs):
            row = table[f"{dialect}.{name}"] = {}
            for first, one in types.items():
                for others, other in types.items() if count > 1 else [(first, one)]:
                    row[f"{first} {others} {count}"] = accepted(dialect, name, [one, *[other] * (count - 1)])
    return table


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))))
