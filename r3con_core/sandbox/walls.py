"""The names of the walls that can enclose generated code, and what each means to the one who relies on them.

A run keeps the name only, and may be read on another system than the one that made it: so all are listed, not those
of this machine.
"""

BUBBLEWRAP = "bubblewrap, Landlock and seccomp"
LANDLOCK = "Landlock and seccomp"
SEATBELT = "macOS sandbox-exec"
WASM = "WebAssembly (Deno and Pyodide)"
WASM_IN_JOB = "WebAssembly (Deno and Pyodide) in a Windows job"

_ENCLOSED = "no network, no other programs, no files but a folder of its own"
_WITHIN = "no network, no other programs, no files but those it makes in its own memory"
MEANINGS = {
    BUBBLEWRAP: (
        f"Code ran in a closed process with {_ENCLOSED}. Two independent walls of the Linux kernel stood: what it may "
        "see, and what it may ask for."
    ),
    LANDLOCK: (
        f"Code ran in a closed process with {_ENCLOSED}. bubblewrap, the second wall, was not installed or not allowed "
        "here: code could find out whether a file of a given name exists, and its size, but not read it."
    ),
    SEATBELT: (
        f"Code ran in a closed process with {_ENCLOSED}, as macOS keeps them. Its memory was watched, not limited by "
        "the system."
    ),
    WASM: (
        f"Code ran in Python for WebAssembly, inside a process without permissions: {_WITHIN}. No wall of the "
        "operating system stood around it. Its Python and pandas are older than those of this program."
    ),
    WASM_IN_JOB: (
        f"Code ran in Python for WebAssembly, inside a process without permissions: {_WITHIN}. Windows held that "
        "process to its memory and to starting no other. Its Python and pandas are older than those of this program."
    ),
}


def meaning_of(walls: str) -> str:
    """What these walls mean, in words; "" for a name not known here."""
    return MEANINGS.get(walls, "")
