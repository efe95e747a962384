"""What a rule is."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

PAGES = Path(__file__).parent / "pages"

FAMILIES = {
    "0": "other",
    "1": "memory space",
    "2": "layout",
    "3": "dtype",
    "4": "barrier",
    "5": "collective",
    "6": "architecture",
    "7": "swizzle",
    "8": "shapes and specs",
    "9": "ordering",
}


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One thing that a kernel must not do."""

    code: str
    name: str
    """The bad pattern, in kebab case."""
    message: str
    """What is wrong, in one line, in the author's terms."""
    fix: str
    """What to do instead, in one line."""
    mosaic: str
    """What Mosaic GPU says when the types are bypassed; empty where it says nothing."""
    references: tuple[str, ...]
    """The Mosaic GPU functions that are concerned and the PTX ISA sections that say why."""
    gate: Literal["types", "lowering", "both"] = "types"
    """What sees it: a checker, the lowering of a kernel by safegpu, or each what it knows."""
    is_race: bool = False
    """Whether what comes out depends on the time that things take, so that it may be right."""

    @property
    def family(self) -> str:
        return FAMILIES[self.code[2]]

    @property
    def sites(self) -> list[tuple[str, str, str]]:
        """The places in Mosaic GPU that it stands for, by module, function and words: `sites.toml` says which."""
        from safegpu.rules.inventory import sites_for

        return sites_for(self.code)

    @property
    def page(self) -> str:
        """The text of the rule's page."""
        return (PAGES / f"{self.code}.md").read_text(encoding="utf-8")

    def as_json(self) -> dict[str, object]:
        """What `safegpu rules --json` says of it."""
        return {
            "code": self.code,
            "name": self.name,
            "family": self.family,
            "message": self.message,
            "fix": self.fix,
            "mosaic": self.mosaic,
            "references": list(self.references),
        }
