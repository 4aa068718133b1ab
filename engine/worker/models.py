"""Work on a model as one job of the worker: the code of `segue models`, over the parent's pipe."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from engine.classroom.controls import Controls
from engine.models.catalogue import load_catalogue
from engine.models.importing import import_model
from engine.models.installing import Installer, verify_model
from engine.models.store import ModelStore, default_store
from engine.worker.protocol import ModelRequest

if TYPE_CHECKING:
    from engine.models.catalogue import Catalogue

Send = Callable[[Mapping[str, Any]], None]
"""Takes the body of a reply."""


def run_model_job(
    request: ModelRequest,
    controls: Controls,
    send: Send,
    *,
    store: ModelStore | None = None,
    catalogue: Catalogue | None = None,
) -> None:
    """Install, bring in or verify a model; by default one of the user's own store.

    Raises Cancelled when `controls` say so, and what the work itself raises.
    """
    controls.check()
    store = store or default_store()
    model = request.model
    if request.action == "install":
        _install(request, controls, send, store, catalogue or load_catalogue())
    elif request.action == "import" and request.path is not None:
        model = import_model(
            store,
            request.path,
            catalogue=catalogue or load_catalogue(),
            on_progress=lambda progress: send(progress.as_dict()),
            check_cancelled=controls.check,
        ).name
    else:
        verify_model(
            store,
            model,
            on_progress=lambda progress: send(progress.as_dict()),
            check_cancelled=controls.check,
        )
    send({"event": "model-finished", "action": request.action, "model": model})


def _install(
    request: ModelRequest,
    controls: Controls,
    send: Send,
    store: ModelStore,
    catalogue: Catalogue,
) -> None:
    # The HTTP library is for this alone.
    from engine.models.hub import Hub

    entry = catalogue.find(request.model)
    hub = Hub(endpoint=request.mirror, proxy=request.proxy)
    try:
        Installer(store, hub).install(
            entry,
            accept_licence=request.accept_licence,
            on_progress=lambda progress: send(progress.as_dict()),
            check_cancelled=controls.check,
        )
    finally:
        hub.close()
