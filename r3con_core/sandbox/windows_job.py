"""What Windows is asked to hold a worker to: a job object that ends with its handle, one process, little memory.

The worker is created suspended, put into its job, and only then let go, so that no instruction of it runs outside.
**Never run by us: written from Microsoft's documentation** (jobapi2.h, winnt.h, tlhelp32.h). Whatever Windows refuses
is a SandboxError, and the worker is ended before it has run.
"""

import ctypes
import os
import subprocess
import weakref
from collections.abc import Mapping
from typing import Any

from r3con_core.errors import SandboxError

SUSPENDED, DETACHED = 0x4, 0x8
CREATION_FLAGS = SUSPENDED | DETACHED
"""Without a console: that would be a second process, which the job does not allow."""
MEMORY_BYTES = 3 << 30
"""Of the process as a whole: 1 GB of the code's, what Python takes, 512 MB of JavaScript's, and room for V8."""
COMPUTING_SECONDS = 3600

_PROCESS_TIME, _ONE_PROCESS, _PROCESS_MEMORY = 0x2, 0x8, 0x100
_NO_ERROR_WINDOW, _ENDS_WITH_HANDLE = 0x400, 0x2000
LIMITS = _PROCESS_TIME | _ONE_PROCESS | _PROCESS_MEMORY | _NO_ERROR_WINDOW | _ENDS_WITH_HANDLE
_NO_SCREEN = 0xFF
"""No windows, clipboard, settings, desktops or shutting down of others."""
_UI_CLASS, _LIMIT_CLASS = 4, 9
_MAY_SET_QUOTA, _MAY_END, _MAY_ASK, _MAY_RESUME = 0x100, 0x1, 0x1000, 0x2
_THREADS = 0x4
_INVALID = ctypes.c_void_p(-1).value
_HUNDRED_NANOSECONDS = 10_000_000

_Handle, _Word, _Size, _Long = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_size_t, ctypes.c_int64
"""Of fixed size, so that the layout is the same, and can be tested, on any system of 64 bits."""


class BasicLimits(ctypes.Structure):
    """JOBOBJECT_BASIC_LIMIT_INFORMATION."""

    _fields_ = (
        ("process_time", _Long),
        ("job_time", _Long),
        ("flags", _Word),
        ("least_working_set", _Size),
        ("most_working_set", _Size),
        ("processes", _Word),
        ("affinity", _Size),
        ("priority", _Word),
        ("scheduling", _Word),
    )


class Counters(ctypes.Structure):
    """IO_COUNTERS."""

    _fields_ = tuple((name, ctypes.c_uint64) for name in ("reads", "writes", "others", "read", "written", "other"))


class JobLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION."""

    _fields_ = (
        ("basic", BasicLimits),
        ("counters", Counters),
        ("process_memory", _Size),
        ("job_memory", _Size),
        ("peak_process_memory", _Size),
        ("peak_job_memory", _Size),
    )


class ThreadEntry(ctypes.Structure):
    """THREADENTRY32."""

    _fields_ = (
        ("size", _Word),
        ("usage", _Word),
        ("thread", _Word),
        ("process", _Word),
        ("priority", ctypes.c_int32),
        ("priority_change", ctypes.c_int32),
        ("flags", _Word),
    )


_CALLS: Mapping[str, tuple[Any, tuple[Any, ...]]] = {
    "CreateJobObjectW": (_Handle, (_Handle, _Handle)),
    "SetInformationJobObject": (ctypes.c_int, (_Handle, ctypes.c_int, _Handle, _Word)),
    "QueryInformationJobObject": (ctypes.c_int, (_Handle, ctypes.c_int, _Handle, _Word, _Handle)),
    "AssignProcessToJobObject": (ctypes.c_int, (_Handle, _Handle)),
    "IsProcessInJob": (ctypes.c_int, (_Handle, _Handle, _Handle)),
    "OpenProcess": (_Handle, (_Word, ctypes.c_int, _Word)),
    "CreateToolhelp32Snapshot": (_Handle, (_Word, _Word)),
    "Thread32First": (ctypes.c_int, (_Handle, _Handle)),
    "Thread32Next": (ctypes.c_int, (_Handle, _Handle)),
    "OpenThread": (_Handle, (_Word, ctypes.c_int, _Word)),
    "ResumeThread": (_Word, (_Handle,)),
    "CloseHandle": (ctypes.c_int, (_Handle,)),
}
"""Name, result and arguments of what is used of kernel32."""

_jobs: dict[int, int] = {}
"""Process id and handle of its job, for as long as the process object lives."""


def environment() -> dict[str, str]:
    """What no program of Windows starts without."""
    return {name: os.environ[name] for name in ("SystemRoot",) if name in os.environ}


def enclose(process: subprocess.Popen[bytes], kernel: Any = None) -> None:
    """Put the suspended `process` into a job of its own and let it run; SandboxError when any of that fails."""
    kernel = kernel or _kernel32()
    job = _done(kernel.CreateJobObjectW(None, None), "make a job")
    weakref.finalize(process, _close, kernel, process.pid, job)
    _limit(kernel, job)
    handle = _done(kernel.OpenProcess(_MAY_SET_QUOTA | _MAY_END, 0, process.pid), "open the process")
    try:
        _done(kernel.AssignProcessToJobObject(job, handle), "put the process into its job")
    finally:
        kernel.CloseHandle(handle)
    _jobs[process.pid] = job
    _resume(kernel, process.pid)


def missing(pid: int, kernel: Any = None) -> list[str]:
    """What the process could do, were it not for a job that does not hold it; as Windows tells it."""
    kernel = kernel or _kernel32()
    found, limits = ctypes.c_int(0), JobLimits()
    job = _jobs.get(pid)
    handle = kernel.OpenProcess(_MAY_ASK, 0, pid)
    if job is None or not handle:
        return ["run outside its job"]
    try:
        if not kernel.IsProcessInJob(handle, job, ctypes.byref(found)) or not found.value:
            return ["run outside its job"]
    finally:
        kernel.CloseHandle(handle)
    told = kernel.QueryInformationJobObject(job, _LIMIT_CLASS, ctypes.byref(limits), ctypes.sizeof(limits), None)
    holds = told and limits.basic.flags & LIMITS == LIMITS and limits.basic.processes == 1
    return [] if holds and 0 < limits.process_memory <= MEMORY_BYTES else ["use more than its job allows"]


def _limit(kernel: Any, job: int) -> None:
    limits = JobLimits()
    limits.basic.flags = LIMITS
    limits.basic.processes = 1
    limits.basic.process_time = COMPUTING_SECONDS * _HUNDRED_NANOSECONDS
    limits.process_memory = MEMORY_BYTES
    screen = _Word(_NO_SCREEN)
    for kind, wanted in ((_LIMIT_CLASS, limits), (_UI_CLASS, screen)):
        done = kernel.SetInformationJobObject(job, kind, ctypes.byref(wanted), ctypes.sizeof(wanted))
        _done(done, "set the limits of the job")


def _resume(kernel: Any, pid: int) -> None:
    """Let the one thread go that a suspended new process has."""
    thread = _done(kernel.OpenThread(_MAY_RESUME, 0, _only_thread(kernel, pid)), "open the thread")
    try:
        if kernel.ResumeThread(thread) != 1:
            raise SandboxError("Windows did not hold the worker for generated code back until its walls stood.")
    finally:
        kernel.CloseHandle(thread)


def _only_thread(kernel: Any, pid: int) -> int:
    snapshot = kernel.CreateToolhelp32Snapshot(_THREADS, 0)
    if snapshot in (None, _INVALID):
        _done(0, "list threads")
    entry = ThreadEntry(size=ctypes.sizeof(ThreadEntry))
    found = []
    try:
        more = kernel.Thread32First(snapshot, ctypes.byref(entry))
        while more:
            if entry.process == pid:
                found.append(int(entry.thread))
            more = kernel.Thread32Next(snapshot, ctypes.byref(entry))
    finally:
        kernel.CloseHandle(snapshot)
    if len(found) != 1:
        raise SandboxError(f"The suspended worker for generated code has {len(found)} threads, not one.")
    return found[0]


def _done(result: int | None, what: str) -> int:
    """The result of a call of Windows; SandboxError when it is 0, which says that it failed."""
    if not result:
        reason = getattr(ctypes, "get_last_error", int)()
        raise SandboxError(f"Windows could not {what} for generated code (error {reason}).")
    return result


def _close(kernel: Any, pid: int, job: int) -> None:
    """Ends what still runs in the job."""
    if _jobs.get(pid) == job:
        del _jobs[pid]
    kernel.CloseHandle(job)


def _kernel32() -> Any:
    kernel = vars(ctypes)["WinDLL"]("kernel32", use_last_error=True)
    for name, (result, arguments) in _CALLS.items():
        call = getattr(kernel, name)
        call.restype, call.argtypes = result, arguments
    return kernel
