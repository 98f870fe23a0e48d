"""The page of the package on an index: README, with links into the repository that WORKBENCH_URL names."""

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Readme(MetadataHookInterface):
    """README with absolute links, to https://host/owner/name; without an address with none into here."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        if url := os.environ.get("WORKBENCH_URL", "").rstrip("/"):
            metadata["urls"] = {"Source": url, "Changes": f"{url}/blob/main/CHANGES.md"}
            text = re.sub(r"(!\[[^]]*\]\()(?![a-z]+:)", rf"\1{url}/raw/main/", text)
            text = re.sub(r"(?<!!)(\[[^]]*\]\()(?![a-z]+:|#)", rf"\1{url}/blob/main/", text)
        else:
            text = re.sub(r"!\[[^]]*\]\([^):]*\)\n+.*(\n.+)*\n\n", "", text)  # a picture and its caption
            text = re.sub(r"\s+\(\[[^]]*\]\([^):]*\)\)", "", text)  # a link in brackets of its own
            text = re.sub(r"\[([^]]*)\]\([^):]*\)", r"\1", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
