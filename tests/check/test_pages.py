"""Each rule has a page, and the page's examples are what it says they are.

A block is a whole kernel: it ends with the `as_gpu_kernel` that builds it, so Mosaic GPU can be asked about it too.
"""

import re
from pathlib import Path

import pytest

from safegpu.check import Finding, check
from safegpu.commands.tested import TESTED
from safegpu.rules import RULES, Rule, inventory
from tests.support.raised import Refusal, site_of

PAGES = Path(__file__).parents[2] / "safegpu" / "rules" / "pages"
SECTIONS = ["What it does", "Why is this bad", "Example", "Use instead", "References"]
MARK = re.compile(r"# [EL]: (SG\d{3})")
"""`# E:` where checkers see it, `# L:` where lowering alone does."""
HOPPER, BLACKWELL, ULTRA = (9, 0), (10, 0), (10, 3)

every_rule = pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.code)


def sections(rule: Rule) -> dict[str, str]:
    _, *parts = re.split(r"^## (.*)\n", (PAGES / f"{rule.code}.md").read_text(), flags=re.MULTILINE)
    return {title: text.strip() for title, text in zip(parts[::2], parts[1::2], strict=True)}


def blocks(text: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


def marked(source: str) -> set[tuple[int, str]]:
    lines = enumerate(source.splitlines(), start=1)
    return {(number, code) for number, line in lines for code in MARK.findall(line)}


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Finding]]:
    """What each example is told, by file name: one run of mypy for all pages."""
    folder = tmp_path_factory.mktemp("pages")
    found: dict[str, list[Finding]] = {}
    for rule in RULES.values():
        for title in ("Example", "Use instead"):
            for number, block in enumerate(blocks(sections(rule)[title])):
                path = folder / f"{rule.code}_{title.split()[0]}_{number}.py"
                path.write_text(block)
                found[path.name] = []
    for finding in check([folder], extra_args=["--cache-dir", str(tmp_path_factory.mktemp("cache"))]):
        found[Path(finding.path).name].append(finding)
    return found


def stated(block: str) -> bool:
    return "mgpu.sm_" in block


def what_lowering_says(block: str) -> Refusal | None:
    """The error of the kernel that the block builds; None where it lowers."""
    pytest.importorskip("jax")
    from safegpu.offline.lowering import lowered

    arch = (
        None
        if stated(block)
        else ULTRA
        if "reduce=" in block
        else BLACKWELL
        if "TMEM" in block or "tcgen05" in block
        else HOPPER
    )
    peers = 2 if "to_remote" in block else 1
    try:
        assert lowered(lambda: exec(compile(block, "page", "exec"), {}), arch, peers=peers)
    except Exception as error:
        site = site_of(error)
        return Refusal(f"{type(error).__name__}: {error}", site.key if site is not None else None)
    return None


def claimed_since(refusal: Refusal, rule: Rule) -> bool:
    """Whether a later jax than the one that pages quote says it at a site of its own, which the rule stands for."""
    first, installed = inventory.verdicts(TESTED["jax"][0]), inventory.verdicts()
    return refusal.site in installed.keys() - first.keys() and rule.code in installed[refusal.site].codes


def test_one_page_for_each_rule() -> None:
    assert {page.stem for page in PAGES.glob("SG*.md")} == RULES.keys()


def test_index() -> None:
    rows = re.findall(
        r"^\| \[(SG\d{3})\]\((.*?)\) \| (.*?) \| (.*?) \|$", (PAGES / "README.md").read_text(), re.MULTILINE
    )
    assert rows == [(rule.code, f"{rule.code}.md", rule.name, rule.message) for rule in RULES.values()]


@every_rule
def test_form(rule: Rule) -> None:
    text = (PAGES / f"{rule.code}.md").read_text()
    assert rule.page == text
    assert text.startswith(f"# {rule.code}: {rule.name}\n")
    parts = sections(rule)
    assert list(parts) == SECTIONS
    assert all(parts.values())
    assert parts["References"].splitlines() == [f"- {reference}" for reference in rule.references]
    if rule.mosaic:
        assert rule.mosaic.rstrip(".…, ") in " ".join(parts["Why is this bad"].split())


@every_rule
def test_examples(rule: Rule, findings: dict[str, list[Finding]]) -> None:
    bad = blocks(sections(rule)["Example"])
    assert bad
    for number, block in enumerate(bad):
        expected = marked(block)
        assert {code for _, code in expected} == {rule.code}
        if "# L: " in block:
            assert rule.gate != "types"
            expected = set()
        found = findings[f"{rule.code}_Example_{number}.py"]
        assert {(finding.line, finding.rule) for finding in found} == expected


@every_rule
def test_use_instead_is_clean(rule: Rule, findings: dict[str, list[Finding]]) -> None:
    good = blocks(sections(rule)["Use instead"])
    assert good
    for number in range(len(good)):
        assert findings[f"{rule.code}_Use_{number}.py"] == []


@every_rule
def test_mosaic_gpu_says_the_same_of_the_example(rule: Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jax")
    from safegpu import _gate

    for block in blocks(sections(rule)["Example"]):
        refused = what_lowering_says(block) if rule.gate != "types" else None
        with monkeypatch.context() as patch:  # what safegpu refuses by itself, Mosaic GPU is asked about without it
            patch.setattr(_gate, "refuse", lambda code, message: None)
            said = what_lowering_says(block)
        if rule.gate != "types" and (said is None or not rule.mosaic):
            assert refused is not None
            assert refused.words.startswith(f"RuleError: {rule.code}: ")
        if said is None or not rule.mosaic:
            assert said is None, "the rule says that Mosaic GPU says nothing"
            assert not rule.mosaic or rule.gate != "types", "the rule quotes what Mosaic GPU says, and it says nothing"
        else:
            quoted = ".*".join(map(re.escape, rule.mosaic.split("…")))
            assert re.search(quoted, said.words, re.DOTALL) or claimed_since(said, rule)


@every_rule
def test_use_instead_lowers(rule: Rule) -> None:
    for block in blocks(sections(rule)["Use instead"]):
        assert what_lowering_says(block) is None


@every_rule
def test_use_instead_keeps_the_kernel(rule: Rule) -> None:
    """A good example is the bad one mended, not another kernel."""
    for section in ("Example", "Use instead"):
        assert all(block.count("as_gpu_kernel(") == 1 for block in blocks(sections(rule)[section]))
