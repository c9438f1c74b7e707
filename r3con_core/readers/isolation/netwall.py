"""The system's wall between a reader and every network, which the programs it starts inherit.

A reader parses strangers' files with libraries in C, which Python's own guard (`egress`) does not see. On Linux a
system-call filter lets it make no socket and no other way to one: none for the kernel to look up names for it, no queue
of calls that passes by the filter, no hand into another process. On macOS the whole process is started under
sandbox-exec without network. Elsewhere, and where the system has no such wall, Python's guard stands alone.

Sources: the kernel's Documentation/userspace-api/seccomp_filter.rst; numbers from its
arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h. Run on x86_64, not on aarch64.
"""

import ctypes
import os
import platform
import shutil
import socket
import struct
import subprocess
import sys
from functools import lru_cache

from r3con_core.processes import child_environment

_REFUSED_CALLS = """
    socket=41/198 socketpair=53/199 ptrace=101/117 process_vm_readv=310/270 process_vm_writev=311/271 pidfd_getfd=438/438
    io_uring_setup=425/425 io_uring_enter=426/426 io_uring_register=427/427 add_key=248/217 request_key=249/218
    keyctl=250/219 bpf=321/280 perf_event_open=298/241 userfaultfd=323/282
"""
"""Name=number on x86_64/number on aarch64. An end of a pair of datagram sockets could write to the system's log."""
_ARCHITECTURES = {"x86_64": (0xC000003E, 0, 317), "aarch64": (0xC00000B7, 1, 277)}
"""By processor: the mark of its calls, its column above, the number of `seccomp`."""
_LOAD, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOWED, _NOT_PERMITTED, _X32_CALLS = 0x7FFF0000, 0x00050001, 0x40000000
_NO_NEW_PRIVILEGES, _SET_FILTER, _ALL_THREADS = 38, 1, 1
_SEATBELT = "(version 1)(allow default)(deny network*)"


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def wall_off_network() -> bool:
    """Take every way to a network from this process and all it starts; whether the system could."""
    if sys.platform != "linux" or platform.machine() not in _ARCHITECTURES:
        return False
    instructions = _filter(*_ARCHITECTURES[platform.machine()][:2])
    program = _Program(len(instructions) // 8, instructions)
    library = ctypes.CDLL(None, use_errno=True)
    zeros = (ctypes.c_ulong(0),) * 3
    if library.prctl(_NO_NEW_PRIVILEGES, ctypes.c_ulong(1), *zeros) != 0:
        return False
    number = ctypes.c_long(_ARCHITECTURES[platform.machine()][2])
    library.syscall.restype = ctypes.c_long
    filtered = (ctypes.c_uint(_SET_FILTER), ctypes.c_uint(_ALL_THREADS), ctypes.byref(program))
    return bool(library.syscall(number, *filtered) == 0)


def _filter(architecture: int, column: int) -> bytes:
    """The program the kernel runs before each system call: what is listed, or made as for another processor, is refused."""
    numbers = [int(entry.split("=")[1].split("/")[column]) for entry in _REFUSED_CALLS.split()]
    refuse = _instruction(_RETURN, _NOT_PERMITTED)
    program = [
        _instruction(_LOAD, 4),
        _instruction(_IF_EQUAL, architecture, 1, 0),
        refuse,
        _instruction(_LOAD, 0),
        _instruction(_IF_AT_LEAST, _X32_CALLS, 0, 1),
        refuse,
    ]
    for number in numbers:
        program += [_instruction(_IF_EQUAL, number, 0, 1), refuse]
    return b"".join((*program, _instruction(_RETURN, _ALLOWED)))


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


@lru_cache(maxsize=1)
def walled_command() -> tuple[str, ...]:
    """What goes before the command of a reader so that it has no network: on macOS, once tried, else nothing."""
    program = shutil.which("sandbox-exec") if sys.platform == "darwin" else None
    if program is None:
        return ()
    command = (program, "-p", _SEATBELT)
    try:
        tried = subprocess.run([*command, "/usr/bin/true"], capture_output=True, check=False, timeout=20, env={})
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return command if tried.returncode == 0 else ()


def reader_wall() -> tuple[bool, str]:
    """Whether the system keeps readers of files from every network here, and a sentence on it; tried in a process."""
    tried = subprocess.run(
        [*walled_command(), sys.executable, "-P", "-c", _TRIAL],
        capture_output=True,
        check=False,
        env=child_environment(PYTHONPATH=os.pathsep.join(place for place in sys.path if place)),
    )
    if tried.returncode == 0:
        return True, "Readers of files have no way to a network: this system refuses it to them and all they start."
    return (
        False,
        "This system has no wall between readers of files and networks; Python's own guard alone refuses them.",
    )


_TRIAL = f"import sys; from {__name__} import try_wall; sys.exit(not try_wall())"


def try_wall() -> bool:
    """In a process made for it: whether no socket can be had. A datagram socket connects without sending anything."""
    wall_off_network()
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
            connection.connect(("127.0.0.1", 9))
    except OSError:
        return True
    return False
