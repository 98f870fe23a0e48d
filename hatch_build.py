"""The page of the package on an index: README, with links into the repository that WORKBENCH_URL names."""

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Readme(MetadataHookInterface):
    """README as it is, or with absolute links where it is built for others: https://host/owner/name."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        if url := os.environ.get("WORKBENCH_URL", "").rstrip("/"):
            metadata["urls"] = {"Source": url, "Changes": f"{url}/blob/main/CHANGES.md"}
            text = re.sub(r"(!\[[^]]*\]\()(?![a-z]+:)", rf"\1{url}/raw/main/", text)
            text = re.sub(r"(?<!!)(\[[^]]*\]\()(?![a-z]+:|#)", rf"\1{url}/blob/main/", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
