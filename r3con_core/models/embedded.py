"""A model inside this process: llama.cpp's own server, on this computer's loopback address behind a random key.

Needs the extra `local` (xllamacpp). Measured on two idle cores with the 1.5B default: 75 tokens/s read, 18-27 written.
"""

import os
import secrets
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from r3con_core.errors import ModelFileError
from r3con_core.models.catalogue import LOCAL_MODELS
from r3con_core.models.endpoint import LOCAL_TIMEOUT, Endpoint
from r3con_core.models.prices import FREE

WINDOW = 8192
_BATCH = 256
"""Tokens read at a time. A stop takes effect between batches: four seconds apart on two cores with the default."""
_LOOKS, _LOOK_SECONDS = 10, 0.05
"""At what runs beside: half a second, where loading the model takes eight."""
_CACHE_MIB = 2048
"""Memory for prefixes read earlier, so that one comes back in half a second instead of being read again."""


@dataclass(slots=True)
class EmbeddedServer:
    """A running server; a context manager that ends it."""

    endpoint: Endpoint
    key: str = field(repr=False)
    _server: Any = field(repr=False)

    def close(self) -> None:
        """End the server and give its memory back."""
        self._server = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def start_embedded(file: Path, window: int = WINDOW, threads: int | None = None) -> EmbeddedServer:
    """Load the GGUF model `file` (1-15 s) and serve it with a context window of `window` tokens.

    `threads` defaults to `default_threads()`: on many busy cores, as many threads as cores write 30 times slower.
    Raises ModelFileError when the file is missing or no model, or the extra `local` is not installed.
    """
    if not file.is_file():
        raise ModelFileError(f"The model file {file} is missing. Fetch the default model with: r3con model pull")
    try:
        import xllamacpp
    except ImportError as fault:
        raise ModelFileError(
            "Models on this computer need one more package. Install it with: pip install 'r3con-analyst[local]', "
            "or choose a model at an address instead."
        ) from fault
    key = secrets.token_urlsafe(24)
    name = next((model.name for model in LOCAL_MODELS if model.file == file.name), file.stem)
    params = _params(xllamacpp, window, threads or default_threads())
    params.model.path = str(file)
    params.model_alias = {name}
    params.api_keys = [key]
    try:
        server = xllamacpp.Server(params)
    except (RuntimeError, ValueError) as fault:
        raise ModelFileError(
            f"The model file {file.name} cannot be loaded ({fault}). It may be damaged, of a newer kind than the "
            "installed xllamacpp, or larger than the free memory. Choose a smaller model, or pull it again."
        ) from fault
    endpoint = Endpoint(
        base_url=f"{server.listening_address}/v1",
        model=name,
        window=window,
        workers=1,
        timeout=LOCAL_TIMEOUT,
        local=True,
        prices=FREE,
    )
    return EmbeddedServer(endpoint=endpoint, key=key, _server=server)


def _params(xllamacpp: Any, window: int, threads: int) -> Any:
    """One slot, no silent shifting of the window, no pages, no prompts to look at, no words on the screen."""
    params = xllamacpp.CommonParams()
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.cors_origins = "http://127.0.0.1"
    params.endpoint_slots = False
    params.ui = False
    params.verbosity = 0
    params.n_ctx = window
    params.n_parallel = 1
    params.n_batch = _BATCH
    params.n_ubatch = _BATCH
    params.ctx_shift = False
    params.cache_ram_mib = _CACHE_MIB
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    return params


def default_threads() -> int:
    """Physical cores this process may use that are not busy with something else; at least 1.

    More than two leave one for everything else. On two idle cores the second halves the time of a run (8 s instead of
    17 s a snippet); on two busy ones it makes a call 30 times slower, since the threads wait for each other.
    """
    cores = min(_physical_cores(), _cores_granted())
    return max(1, cores - max(_busy_cores(), 1 if cores > 2 else 0))


def _busy_cores() -> int:
    """How many cores other programs use: now on Linux, over the last minute elsewhere, 0 where nothing tells."""
    now = Path("/proc/loadavg")
    if now.exists():
        running = []
        for _ in range(_LOOKS):
            running.append(int(now.read_text("ascii").split()[3].split("/")[0]) - 1)
            time.sleep(_LOOK_SECONDS)
        return round(sum(running) / _LOOKS)
    return round(os.getloadavg()[0]) if hasattr(os, "getloadavg") else 0


def _physical_cores() -> int:
    if sys.platform == "linux":
        usable = os.sched_getaffinity(0)
        cores = set()
        for number in usable:
            siblings = Path(f"/sys/devices/system/cpu/cpu{number}/topology/thread_siblings_list")
            cores.add(siblings.read_text("ascii").strip() if siblings.exists() else str(number))
        return len(cores)
    logical = os.cpu_count() or 1
    return logical if sys.platform == "darwin" else max(1, logical // 2)


def _cores_granted() -> int:
    """Cores a container grants this process (Linux control groups), or more than there are."""
    quota = Path("/sys/fs/cgroup/cpu.max")
    if not quota.exists():
        return sys.maxsize
    granted, period = quota.read_text("ascii").split()
    return sys.maxsize if granted == "max" else max(1, int(granted) // int(period))
