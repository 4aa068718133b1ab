"""Where models lie: those that Segue ships, and those in the user's own folder."""

from __future__ import annotations

from pathlib import Path

from engine.errors import ModelError
from engine.folders import data_folder
from engine.models.manifest import MANIFEST_NAME, load_manifest
from engine.resources import resources_folder


class ModelStore:
    """Model folders under `user`, which come first, and under `shipped`.

    A folder is a model if it holds a manifest; its name does not matter.
    """

    def __init__(self, shipped: Path, user: Path) -> None:
        self.shipped = shipped
        self.user = user

    def folders(self) -> tuple[Path, ...]:
        """Every folder with a manifest: the user's own first, then the shipped, each by name."""
        found: list[Path] = []
        for root in (self.user, self.shipped):
            try:
                folders = sorted(path for path in root.iterdir() if path.is_dir())
            except OSError:
                # A user folder that is not there yet is the usual case.
                continue
            found.extend(folder for folder in folders if (folder / MANIFEST_NAME).is_file())
        return tuple(found)

    def find(self, role: str) -> Path:
        """The folder of the first model with this role.

        A model of the user's own whose manifest cannot be read is reported, not passed over:
        they put it there to be used. Raises ModelError where there is none.
        """
        for folder in self.folders():
            if load_manifest(folder).role == role:
                return folder
        raise ModelError(
            f"Segue's {role} model was not found in {self.user} or {self.shipped}.",
            hint="Install Segue again, or copy a model folder into the first of these.",
        )


def default_store() -> ModelStore:
    """The models that ship with Segue and those in the user's data folder."""
    return ModelStore(resources_folder() / "models", data_folder() / "models")
