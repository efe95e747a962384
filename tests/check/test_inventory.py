"""Every error that Mosaic GPU can raise has a verdict, and the inventory sees it when one comes, goes or changes."""

import importlib.metadata
import re
import textwrap
from pathlib import Path

import pytest

from safegpu.commands.tested import TESTED
from safegpu.rules import RULES, inventory
from safegpu.rules._sites import Site, folder, sites_of

SOURCE = """
def f(x, *, swizzle=16):
    assert x > 0
    if swizzle == 16:
        raise NotImplementedError("No swizzle")
    elif swizzle not in (32, 64):
        raise ValueError(
            f"Expected 32 or 64, got: {swizzle}"
        )
    else:
        match x:
            case 1 if swizzle:
                raise ValueError
            case _:
                raise ValueError(str(x))
    for _ in range(x):
        assert x > 0, "twice"
    try:
        g(x)
    except KeyError as e:
        raise TypeError("key: " + "none") from e
    with open(x):
        assert False, f"got {x}"

class C:
    def method(self):
        def inner():
            raise self.error
        raise
"""


@pytest.fixture
def installed() -> list[Site]:
    pytest.importorskip("jax")
    return inventory.read(folder())


def changed(sites: list[Site], old: str, new: str) -> list[Site]:
    """The sites, one of which says something else."""
    (index,) = [index for index, site in enumerate(sites) if site.says == old]
    site = sites[index]
    other = Site(site.module, site.function, new, site.first_line, site.last_line)
    return [*sites[:index], other, *sites[index + 1 :]]


def test_sites_are_read_from_the_source() -> None:
    assert [(site.function, site.says) for site in sites_of("m", SOURCE)] == [
        ("f", "assert x > 0"),
        ("f", "if swizzle == 16: NotImplementedError: No swizzle"),
        ("f", "if swizzle not in (32, 64): ValueError: Expected 32 or 64, got: …"),
        ("f", "case 1 if swizzle: ValueError"),
        ("f", "case _: ValueError: …"),
        ("f", "assert x > 0 (2)"),
        ("f", "except KeyError: TypeError: key: none"),
        ("f", "assert False, got …"),
        ("C.method.inner", "self.error"),
        ("C.method", "raise"),
    ]


def test_lines_do_not_matter_and_words_do() -> None:
    sites = sites_of("m", SOURCE)
    moved = sites_of("m", "# a comment\n\n" + SOURCE)
    assert [site.key for site in moved] == [site.key for site in sites]
    assert [site.first_line for site in moved] == [site.first_line + 2 for site in sites]
    assert sites_of("m", SOURCE.replace("x > 0", "x > 1"))[0].key != sites[0].key
    several_lines = next(site for site in sites if "32 or 64" in site.says)
    assert several_lines.last_line - several_lines.first_line == 2


def test_every_site_has_a_verdict(installed: list[Site]) -> None:
    """On each jax that the files are about; on another the command says what to look at."""
    found = inventory.drift(installed)
    if importlib.metadata.version("jax") != inventory.jax_version():
        pytest.skip(f"jax {importlib.metadata.version('jax')}: {len(found.new)} new, {len(found.gone)} gone")
    assert str(found) == ""


def test_the_files_are_about_each_tested_jax() -> None:
    assert [inventory.jax_version(version) for version in TESTED["jax"]] == [*TESTED["jax"]]
    assert inventory.jax_version("0.11.9") == "0.11.2"
    assert inventory.jax_version("0.12.1") == "0.12.0.1"


@pytest.mark.parametrize("jax", TESTED["jax"])
def test_verdicts(jax: str) -> None:
    for (module, function, says), verdict in inventory.verdicts(jax).items():
        where = f"{module}.{function}: {says}"
        assert module in inventory.MODULES, where
        assert verdict.gate in inventory.GATES, where
        assert set(verdict.codes) <= RULES.keys(), where
        assert bool(verdict.codes) == (verdict.gate in ("types", "partly")), where
        assert bool(verdict.reason) == (verdict.gate != "types"), where


def test_what_a_later_jax_changed() -> None:
    known = {
        ("m", "f", "assert x"): inventory.Verdict("internal", reason="checked"),
        ("m", "f", "assert y"): inventory.Verdict("types", ("SG101",)),
        ("m", "g", "all 3"): inventory.Verdict("values", reason="shapes"),
    }
    changes = {
        ("m", "f", "assert x"): "gone",
        ("m", "f", "assert y is not None"): "was assert y",
        ("m", "g", "all 4"): 'was [m."g"] all 3',
        ("m", "h", "raise"): "specs: the grid",
    }
    assert inventory._changed(known, changes.items()) == {
        ("m", "f", "assert y is not None"): inventory.Verdict("types", ("SG101",)),
        ("m", "g", "all 4"): inventory.Verdict("values", reason="shapes"),
        ("m", "h", "raise"): inventory.Verdict("specs", reason="the grid"),
    }
    for unknown in ("gone", "was assert z"):
        with pytest.raises(KeyError):
            inventory._changed(known, [(("m", "f", "assert z"), unknown)])


def test_what_rules_stand_for() -> None:
    (site,) = RULES["SG801"].sites
    assert site == ("tcgen05", "mma", "if is_sparse: NotImplementedError: Sparse MMA not supported for M=64")
    silent = {rule.code for rule in RULES.values() if not rule.sites}
    # What these reject Mosaic GPU says nothing of, or MLIR and ptxas say it.
    lowering = {rule.code for rule in RULES.values() if rule.gate == "lowering"}
    assert silent == {"SG108", "SG402", "SG501", "SG802", "SG811"} | lowering | {
        code for code in RULES if code[2] in "69" and code != "SG601"
    }


def test_a_new_site_is_found(installed: list[Site]) -> None:
    extra = Site("wgmma", "wgmma", "if a is b: ValueError: Unheard-of", 1, 1)
    found = inventory.drift([*installed, extra])
    assert extra in found.new
    assert '  + [wgmma."wgmma"] if a is b: ValueError: Unheard-of' in str(found)


def test_a_new_site_of_a_function_that_is_internal_as_a_whole_is_found(installed: list[Site]) -> None:
    of_function = [site for site in installed if site.function == "_store_32xcols"]
    found = inventory.drift([*installed, of_function[0]])
    assert len(found.new) == len(inventory.drift(installed).new) + 1


def test_a_site_that_is_gone_is_found(installed: list[Site]) -> None:
    gone = next(site for site in installed if "No swizzle" in site.says and site.module == "wgmma")
    found = inventory.drift([site for site in installed if site is not gone])
    assert gone.key in found.gone


def test_a_reworded_site_is_found(installed: list[Site]) -> None:
    old = "if is_sparse: NotImplementedError: Sparse MMA not supported for M=64"
    sites = changed(installed, old, "if is_sparse: NotImplementedError: Sparse MMA unsupported for M=64")
    ((key, site),) = [pair for pair in inventory.drift(sites).reworded if pair[0][2] == old]
    assert key == ("tcgen05", "mma", old)
    assert site.says.endswith("unsupported for M=64")


def test_the_page_shows_what_the_command_prints(capsys: pytest.CaptureFixture[str], installed: list[Site]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "inventory.md").read_text()
    assert f"{len(installed)} (jax {inventory.jax_version()})" in page
    if inventory.jax_version() != TESTED["jax"][0]:
        pytest.skip("the page shows what is printed of the first jax")
    blocks = re.findall(r"^\$ python -m safegpu\.rules\.inventory ?(.*)\n((?:.+\n)+?)```", page, re.MULTILINE)
    assert len(blocks) == 2
    for arguments, shown in blocks:
        inventory.main(arguments.split())
        assert capsys.readouterr().out == shown


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path, installed: list[Site]) -> None:
    inventory.main([])
    counts = capsys.readouterr().out.splitlines()
    assert re.fullmatch(rf"{len(installed)} sites; sites\S*\.toml is about jax {inventory.jax_version()}", counts[0])
    assert sum(int(line.split()[0]) for line in counts[1:] if line.startswith("  ") and line[4].isdigit()) == len(
        installed
    )

    assert inventory.main(["SG801"]) == 0
    assert "mma: if is_sparse: NotImplementedError: Sparse MMA not supported" in capsys.readouterr().out

    for module in inventory.MODULES:
        (tmp_path / f"{module}.py").write_text("")
    (tmp_path / "mma.py").write_text(textwrap.dedent("def mma(a):\n    assert a.is_new\n"))
    assert inventory.main(["--sources", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert "    1            not in sites.toml" in said
    assert "new: 1\n" in said
    assert '  + [mma."mma"] assert a.is_new' in said
    assert "gone: " in said
