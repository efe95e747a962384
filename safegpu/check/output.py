"""Findings as text, as JSON, as a SARIF log and as GitHub's workflow commands. `docs/check.md` describes the JSON."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from safegpu.check.report import Finding
from safegpu.rules import RULES, Rule


@dataclass(frozen=True)
class Outcome:
    """What a run came to. Where `error` says why it could not be made there are no findings."""

    files: int
    findings: Sequence[Finding] = ()
    error: str = ""


def text(outcome: Outcome) -> str:
    if outcome.error:
        return ""
    if not outcome.findings:
        return f"clean: {_count(outcome.files, 'file')}"
    flawed = len({finding.path for finding in outcome.findings})
    last = f"{_count(len(outcome.findings), 'finding')} in {_count(flawed, 'file')}"
    return "\n".join([*map(str, outcome.findings), last])


def as_json(outcome: Outcome) -> str:
    return _dumped(
        {
            "version": 1,
            "safegpu": _version(),
            "files": outcome.files,
            "error": outcome.error or None,
            "findings": [
                {
                    "path": finding.path,
                    "line": finding.line,
                    "column": finding.column,
                    "rule": finding.rule,
                    "name": RULES[finding.rule].name,
                    "message": finding.message,
                    "fix": finding.fix,
                    "mypy_message": finding.mypy_message,
                    "mypy_code": finding.mypy_code,
                }
                for finding in outcome.findings
            ],
        }
    )


def github(outcome: Outcome) -> str:
    """Workflow commands, which a runner turns into annotations of the files."""
    if outcome.error:
        return f"::error title=safegpu::{_escaped(outcome.error)}"
    return "\n".join(
        f"::error title={_property(f'{finding.rule} {RULES[finding.rule].name}')},file={_property(finding.path)},"
        f"line={finding.line},col={finding.column}::{_escaped(str(finding))}"
        for finding in outcome.findings
    )


def _escaped(message: str) -> str:
    return message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _escaped(value).replace(":", "%3A").replace(",", "%2C")


def sarif(outcome: Outcome) -> str:
    """A log of SARIF 2.1.0, with the pages of the rules that were broken."""
    rules = sorted({finding.rule for finding in outcome.findings})
    invocation: dict[str, object] = {"executionSuccessful": not outcome.error}
    if outcome.error:
        invocation["toolExecutionNotifications"] = [{"level": "error", "message": {"text": outcome.error}}]
    results = [
        {
            "ruleId": finding.rule,
            "ruleIndex": rules.index(finding.rule),
            "level": "error",
            "message": {"text": "\n".join(filter(None, [finding.message, finding.fix and f"fix: {finding.fix}"]))},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": _location(finding.path),
                        "region": {"startLine": finding.line, "startColumn": finding.column},
                    }
                }
            ],
            "properties": {"mypyCode": finding.mypy_code, "mypyMessage": finding.mypy_message},
        }
        for finding in outcome.findings
    ]
    driver = {"name": "safegpu", "version": _version(), "rules": [_descriptor(RULES[code]) for code in rules]}
    run = {
        "tool": {"driver": driver},
        "invocations": [invocation],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
    return _dumped({"$schema": schema, "version": "2.1.0", "runs": [run]})


def _descriptor(rule: Rule) -> dict[str, object]:
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.message},
        "fullDescription": {"text": f"{rule.message}; {rule.fix}"},
        "help": {"text": f"`safegpu explain {rule.code}` prints this page.\n\n{rule.page}", "markdown": rule.page},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["gpu", rule.family]},
    }


def _location(path: str) -> dict[str, str]:
    """Relative to the current folder, which is the root of the sources, unless it lies outside of it."""
    relative = Path(os.path.relpath(path))
    if ".." in relative.parts:
        return {"uri": Path(os.path.abspath(path)).as_uri()}
    return {"uri": quote(relative.as_posix()), "uriBaseId": "%SRCROOT%"}


FORMATS: dict[str, Callable[[Outcome], str]] = {"text": text, "json": as_json, "sarif": sarif, "github": github}


def _dumped(document: object) -> str:
    return json.dumps(document, indent=2)


def _version() -> str:
    import safegpu

    return str(safegpu.__version__)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
