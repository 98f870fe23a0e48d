"""All that is committed, read once: verdicts, figures, notebooks; and the names that cards are known by."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from workbench.catalog import CATALOG
from workbench.charts import canonical_json
from workbench.lab.claims import Record, collected
from workbench.lab.publish.site import documents
from workbench.lab.publish.site.chapters import Notebook
from workbench.lab.publish.site.records import Link
from workbench.lab.runner import cache
from workbench.sources import Statement, sources, statements


class Facts:
    """What a checkout has committed."""

    def __init__(self, root: Path) -> None:
        self.root, self.folder = root, root / "figures"

    @cached_property
    def verdicts(self) -> dict[str, Record]:
        """The verdicts by claim, of the richest profile."""
        return {**collected(self.folder)}

    @cached_property
    def figures(self) -> dict[str, Mapping[str, Any]]:
        """The contents of the figures' JSON by folder and name, as the notebooks show them."""
        found: dict[str, Mapping[str, Any]] = {}
        for folder in sorted(path for path in self.folder.iterdir() if path.is_dir()):
            contents = {path.stem: canonical_json.read(path) for path in cache.figures(folder)}
            known = self.questions(folder.name)
            order = [*filter(contents.__contains__, known), *sorted(contents.keys() - known.keys())]
            found |= {f"{folder.name}/{name}": contents[name] for name in order}
        return found

    @cached_property
    def notebooks(self) -> dict[str, Notebook]:
        """The notebooks by name."""
        return {path.stem: Notebook(path) for path in sorted((self.root / "notebooks").glob("*.ipynb"))}

    @cached_property
    def statements(self) -> dict[str, tuple[str, Statement]]:
        """Every numbered statement with its source, by its id."""
        return {one.id: (source, one) for source in sources() for one in statements(source)}

    def questions(self, notebook: str) -> dict[str, str]:
        """Return the heading above every figure of a notebook; none if there is no such notebook."""
        return self.notebooks[notebook].questions if notebook in self.notebooks else {}

    @cached_property
    def targets(self) -> dict[str, str]:
        """The id of the card of everything that has a name."""
        return {
            **{name: f"claim/{name}" for name in self.verdicts},
            **{name: f"statement/{name}" for name in self.statements},
            **{key: f"estimator/{key}" for key in CATALOG},
            **{type(entry.estimator).__name__: f"estimator/{key}" for key, entry in CATALOG.items()},
            **{f"proofs/{name}.md": f"proof/{name}" for name in documents.names()},
            **{f"workbench/proofs/{name}.md": f"proof/{name}" for name in documents.names()},
            **{name: f"notebook/{name}" for name in self.notebooks},
        }

    def link(self, name: str) -> Link:
        """Return a name with its card, if it has one."""
        return Link(name, self.targets.get(name.removeprefix("claim "), ""))
