"""What the kernel says about a worker, read from outside: the worker's own word on its walls is not enough."""

from pathlib import Path

_WANTED = {"Seccomp": "2", "NoNewPrivs": "1", "Threads": "1"}
_CAPABILITIES = ("CapInh", "CapPrm", "CapEff", "CapAmb")
_ACTS = {
    "Seccomp": "make any system call",
    "NoNewPrivs": "gain more rights",
    "Threads": "work in a second thread",
    "capabilities": "use rights of an administrator",
    "NSpid": "see other processes",
}


def missing_from_outside(pid: int, *, namespaces: int) -> list[str]:
    """What the worker could do, in words; empty when all walls stand.

    `pid`: of the process that was started, of which the worker is the last descendant. `namespaces`: of process ids,
    nested, that the worker has to be in, the host's own among them.
    """
    try:
        status = _status(_last_descendant(pid))
    except (OSError, ValueError):
        return ["do anything, as the system tells nothing about it"]
    missing = [name for name, value in _WANTED.items() if status.get(name) != value]
    if any(int(status.get(name, "1"), 16) for name in _CAPABILITIES):
        missing.append("capabilities")
    own = len(_status("self").get("NSpid", "").split())
    if len(status.get("NSpid", "").split()) != own + namespaces - 1:
        missing.append("NSpid")
    return [_ACTS[name] for name in missing]


def _status(pid: int | str) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace").splitlines()
    pairs = (line.partition(":") for line in lines)
    return {name: value.strip() for name, _, value in pairs}


def _last_descendant(pid: int) -> int:
    """ValueError when there is more than one line of descent."""
    while children := Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split():
        (child,) = children
        pid = int(child)
    return pid
