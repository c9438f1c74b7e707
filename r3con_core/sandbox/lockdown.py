"""Locks the process that calls it: limits, no capabilities, Landlock, a list of allowed system calls.

Runs inside the worker, after its imports and before any generated code. Standard library only, ctypes for the three
calls that Python does not offer. Nothing here can be undone by the process afterwards.
On macOS the walls stand outside (sandbox-exec, see engines.py) and only the limits are set here.

Sources: the kernel's Documentation/userspace-api/landlock.rst and seccomp_filter.rst; numbers from its
arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h. Run on x86_64, not on aarch64.
"""

import ctypes
import os
import platform
import resource
import signal
import socket
import struct
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path


class LockDownError(Exception):
    """A wall could not be put up; no code may run."""


def lock_down(*, readable: Iterable[str], scratch: str, memory: int, limits: Mapping[str, int]) -> None:
    """Leave this process nothing but reading `readable`, using `scratch`, and `memory` more bytes than it has now.

    `limits`: those of worker.py's Start.
    """
    if sys.platform == "linux":
        _require_one_thread()
        _prctl(_NO_NEW_PRIVILEGES, 1)
        _drop_capabilities()
        _prctl(_DUMPABLE, 0)
        _die_with_parent()
        _limit_resources(limits, _address_space() + memory)
        _restrict_files(readable, scratch)
        _restrict_calls()
    else:
        _limit_resources(limits, None)


def missing_walls(*, bait: str, memory: int) -> list[str]:
    """Try what must be forbidden; what was possible all the same, in words.

    `bait` is a file outside the scratch folder.
    """
    # On macOS the topmost folder is open to all, for the system's loader (seatbelt.py).
    folder = Path("/") if sys.platform == "linux" else Path(bait).parent
    acts: dict[str, Callable[[], object]] = {
        "open a network connection": _connect,
        "read a file outside its folder": lambda: Path(bait).read_bytes(),
        "write a file outside its folder": lambda: Path(f"{bait}.new").write_bytes(b""),
        "list folders": lambda: list(folder.iterdir()),
        "start a process": _fork,
        "signal another process": lambda: os.kill(os.getppid(), 0),
    }
    if sys.platform == "linux":
        acts["use more memory than allowed"] = lambda: bytearray(memory + (64 << 20))
    return [name for name, act in acts.items() if _succeeds(act)]


def _succeeds(act: Callable[[], object]) -> bool:
    try:
        act()
    except (OSError, MemoryError):
        return False
    return True


def _connect() -> None:
    """A datagram socket connects without sending anything and without anybody listening."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
        connection.connect(("127.0.0.1", 9))


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


# The C library and prctl

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_DIE_WITH_PARENT, _DUMPABLE, _NO_NEW_PRIVILEGES = 1, 4, 38


def _call(number: int, *arguments: object) -> int:
    result = int(_libc.syscall(ctypes.c_long(number), *arguments))
    if result < 0:
        raise LockDownError(f"system call {number}: {os.strerror(ctypes.get_errno())}")
    return result


def _prctl(option: int, value: int) -> None:
    zeros = (ctypes.c_ulong(0),) * 3
    if _libc.prctl(option, ctypes.c_ulong(value), *zeros) != 0:
        raise LockDownError(f"prctl {option}: {os.strerror(ctypes.get_errno())}")


def _die_with_parent() -> None:
    parent = os.getppid()
    _prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _require_one_thread() -> None:
    """A thread started earlier would stay outside Landlock."""
    threads = len(list(Path("/proc/self/task").iterdir()))
    if threads != 1:
        raise LockDownError(f"the worker has {threads} threads, not one")


def _drop_capabilities() -> None:
    """Root without capabilities is an ordinary user who owns root's files."""
    version_3 = struct.pack("=Ii", 0x20080522, 0)
    _call(_number("capset"), version_3, bytes(24))


# Limits

_CPU_GRACE_SECONDS = 2


def _address_space() -> int:
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
    return int(pages) * resource.getpagesize()


def _limit_resources(limits: Mapping[str, int], address_space: int | None) -> None:
    """The processor's time ends the process by a signal that says so, or, where that is ignored, soon after."""
    values = {
        resource.RLIMIT_CPU: limits["cpu_seconds"],
        resource.RLIMIT_FSIZE: limits["file_mb"] << 20,
        resource.RLIMIT_NOFILE: limits["open_files"],
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
    }
    if sys.platform == "linux":
        values[resource.RLIMIT_MSGQUEUE] = 0
    if address_space is not None:
        values[resource.RLIMIT_AS] = address_space
    for limit, value in values.items():
        _, hard = resource.getrlimit(limit)
        lowest = value if hard == resource.RLIM_INFINITY else min(value, hard)
        spare = _CPU_GRACE_SECONDS if limit == resource.RLIMIT_CPU and hard == resource.RLIM_INFINITY else 0
        resource.setrlimit(limit, (lowest, lowest + spare))


# Landlock: which files

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_WRITE_FILE, _READ_FILE, _READ_DIR, _MAKE_FILE, _TRUNCATE = 1 << 1, 1 << 2, 1 << 3, 1 << 8, 1 << 14
_READ = _READ_FILE | _READ_DIR
_USE = _READ | _WRITE_FILE | _MAKE_FILE | _TRUNCATE
"""Not removing or renaming: a file without a name, kept open or mapped, takes room that the host cannot see."""
_FILE_RIGHTS_OF_VERSION = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""How many of the rights (bits from 0) each version of Landlock knows; none was added up to version 7."""
_MORE_RIGHTS_SINCE = ((4, 0b11), (6, 0b11))
"""TCP: bind, connect; scopes: abstract UNIX sockets, signals. All are handled, none is given."""


def _restrict_files(readable: Iterable[str], scratch: str) -> None:
    """Version 1 (kernel 5.13) is enough: what it leaves open, the list of system calls closes."""
    version = _call(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint(1))
    handled = (1 << _FILE_RIGHTS_OF_VERSION[min(version, 5)]) - 1
    wanted = struct.pack("=Q", handled)
    for since, rights in _MORE_RIGHTS_SINCE:
        if version >= since:
            wanted += struct.pack("=Q", rights)
    rules = _call(_CREATE_RULESET, wanted, ctypes.c_size_t(len(wanted)), ctypes.c_uint(0))
    for path in readable:
        _allow(rules, path, _READ & handled)
    _allow(rules, scratch, _USE & handled)
    _allow(rules, os.devnull, (_READ_FILE | _WRITE_FILE) & handled)
    _call(_RESTRICT_SELF, ctypes.c_int(rules), ctypes.c_uint(0))
    os.close(rules)


def _allow(rules: int, path: str, rights: int) -> None:
    if not Path(path).is_dir():
        rights &= _READ_FILE | _WRITE_FILE
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    under_path = ctypes.c_int(1)
    _call(_ADD_RULE, ctypes.c_int(rules), under_path, struct.pack("=Qi", rights, place), ctypes.c_uint(0))
    os.close(place)


# seccomp: which system calls

_CALLS = """
    read=0/63 write=1/64 close=3/57 stat=4/- fstat=5/80 lstat=6/- poll=7/- lseek=8/62 mmap=9/222 mprotect=10/226
    munmap=11/215 brk=12/214 rt_sigaction=13/134 rt_sigprocmask=14/135 rt_sigreturn=15/139 pread64=17/67 pwrite64=18/68
    readv=19/65 writev=20/66 access=21/- select=23/- sched_yield=24/124 mremap=25/216 madvise=28/233 dup=32/23 dup2=33/-
    dup3=292/24 nanosleep=35/101 alarm=37/- setitimer=38/103 getpid=39/172 getppid=110/173 exit=60/93 uname=63/160 fsync=74/82
    fdatasync=75/83 ftruncate=77/46 getcwd=79/17 umask=95/166 gettimeofday=96/169 getrlimit=97/163 getrusage=98/165
    sysinfo=99/179 times=100/153 getuid=102/174 getgid=104/176 geteuid=107/175 getegid=108/177 sigaltstack=131/132
    statfs=137/43 fstatfs=138/44 arch_prctl=158/- gettid=186/178 time=201/- futex=202/98
    getdents64=217/61 set_tid_address=218/96 restart_syscall=219/128 clock_gettime=228/113 clock_getres=229/114
    clock_nanosleep=230/115 exit_group=231/94 newfstatat=262/79 faccessat=269/48 faccessat2=439/439 pselect6=270/72
    ppoll=271/73 set_robust_list=273/99 getrandom=318/278 statx=332/291 rseq=334/293
"""
"""Allowed whatever the arguments: name=number on x86_64/number on aarch64."""
_CHECKED_CALLS = (
    "open=2/- openat=257/56 fcntl=72/25 ioctl=16/29 prlimit64=302/261 sched_getaffinity=204/123 clone3=435/435"
)
"""Allowed for some arguments only."""
_OWN_CALLS = "capset=126/91 seccomp=317/277"
"""Made by this module, not allowed afterwards."""

_HARMLESS_FCNTL = (0, 1, 2, 3, 4, 1030)
"""F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC. F_SETOWN with F_SETSIG could kill other processes."""
_HARMLESS_IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
"""TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX."""
_TRUNCATE_FLAG, _ACCESS_FLAGS, _NAMELESS_FLAG = 0x200, 0x3, 0x400000

_ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
_LOAD, _AND, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_ALLOWED, _NOT_PERMITTED, _NOT_THERE, _KILLED = 0x7FFF0000, 0x00050001, 0x00050026, 0x80000000
_X32_CALLS = 0x40000000


def _numbers(table: str) -> dict[str, int]:
    machine = platform.machine()
    if machine not in _ARCHITECTURES:
        raise LockDownError(f"no list of system calls for processor type {machine!r}")
    _, column = _ARCHITECTURES[machine]
    pairs = (entry.split("=") for entry in table.split())
    named = {name: numbers.split("/")[column] for name, numbers in pairs}
    return {name: int(number) for name, number in named.items() if number != "-"}


def _number(name: str) -> int:
    return _numbers(_OWN_CALLS)[name]


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _argument(index: int, *, high_half: bool = False) -> bytes:
    return _instruction(_LOAD, 16 + 8 * index + (4 if high_half else 0))


def _one_of(values: Iterable[int], verdict: int) -> list[bytes]:
    """Return `verdict` when the loaded value is one of these, else go on."""
    return [part for value in values for part in (_instruction(_IF_EQUAL, value, 0, 1), _instruction(_RETURN, verdict))]


def _checks() -> dict[str, list[bytes]]:
    """What decides about the calls whose arguments matter, each ending in a verdict."""
    allow, refuse = _instruction(_RETURN, _ALLOWED), _instruction(_RETURN, _NOT_PERMITTED)
    is_zero = _instruction(_IF_EQUAL, 0, 1, 0)
    return {
        "open": _opening(1),
        "openat": _opening(2),
        "fcntl": [_argument(1), *_one_of(_HARMLESS_FCNTL, _ALLOWED), refuse],
        "ioctl": [_argument(1), *_one_of(_HARMLESS_IOCTL, _ALLOWED), refuse],
        # Reading one's own limits is allowed, a pointer to new ones is not.
        "prlimit64": [
            *(_argument(0), is_zero, refuse),
            *(_argument(2), is_zero, refuse, _argument(2, high_half=True), is_zero, refuse, allow),
        ],
        # Of this process only.
        "sched_getaffinity": [_argument(0), is_zero, refuse, allow],
        # glibc turns to clone, which is refused, only when told that clone3 is unknown.
        "clone3": [_instruction(_RETURN, _NOT_THERE)],
    }


def _opening(flags: int) -> list[bytes]:
    """No files without a name (O_TMPFILE), and none emptied while it is opened for reading only.

    The latter is what Landlock below version 3 would let happen to a file that is only readable.
    """
    return [
        _argument(flags),
        _instruction(_AND, _NAMELESS_FLAG),
        *_one_of((_NAMELESS_FLAG,), _NOT_PERMITTED),
        _argument(flags),
        _instruction(_AND, _TRUNCATE_FLAG | _ACCESS_FLAGS),
        *_one_of((_TRUNCATE_FLAG, _TRUNCATE_FLAG | _ACCESS_FLAGS), _NOT_PERMITTED),
        _instruction(_RETURN, _ALLOWED),
    ]


def _filter() -> bytes:
    """The program the kernel runs before each system call of this process."""
    architecture, _ = _ARCHITECTURES[platform.machine()]
    program = [
        _instruction(_LOAD, 4),
        _instruction(_IF_EQUAL, architecture, 1, 0),
        _instruction(_RETURN, _KILLED),
        _instruction(_LOAD, 0),
    ]
    if platform.machine() == "x86_64":
        program += [_instruction(_IF_AT_LEAST, _X32_CALLS, 0, 1), _instruction(_RETURN, _KILLED)]
    checks = _checks()
    for name, number in _numbers(_CHECKED_CALLS).items():
        program += [_instruction(_IF_EQUAL, number, 0, len(checks[name])), *checks[name]]
    program += [*_one_of(_numbers(_CALLS).values(), _ALLOWED), _instruction(_RETURN, _NOT_PERMITTED)]
    return b"".join(program)


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def _restrict_calls() -> None:
    instructions = _filter()
    program = _Program(len(instructions) // 8, instructions)
    set_filter, all_threads = ctypes.c_uint(1), ctypes.c_uint(1)
    _call(_number("seccomp"), set_filter, all_threads, ctypes.byref(program))
