"""Code becomes an Execution: generated Python runs in a locked-down process of its own.

The code is steered by documents, and documents may be written by an adversary. What the walls cover, on Linux, each
shown by a test in tests/unit/test_sandbox.py or an attack in tests/sandbox_programs:

- Files: the Python runtime and the system's libraries can be read, an empty scratch folder used (1,000 files of 8 MB,
  64 MB together, no subfolders, nothing deleted: a file without a name takes room that nobody sees); nothing else.
- No network, no other processes, none started, no signals, nothing of the host's environment or memory.
- Time on the clock and of the processor, memory, files, output: limited. The step ends with a fault in words, and what
  earlier steps defined is kept, or built again in a new worker.
- Between steps the worker stands still.
- The answer comes in a field of its own. Printing, or writing to any file descriptor, cannot make one.
- That they stand is tried by the worker, and read from the kernel by the host, before it gets any data.
- Where a session is opened with `answering`, code can put texts to a model by way of the host: a bounded number of
  bounded length, in the name of the step that runs, while the worker stands still. It gets the replies, nothing else.

What is not covered:

- **What the code says is the code's word.** It shares its interpreter with the few lines that report on it, so an
  earlier step of the same session can alter what later steps print or propose. Hence the host checks cited records
  and quotes against its own copy. Another session is not reached.
- Without bubblewrap the code can learn whether a file of a given name exists, its size, owner and times, and the name
  of the machine. With it too it sees in which folders Python lies, and the machine's processors, memory and clock.
- Faults of the kernel or the processor; for that reason two independent walls stand where bubblewrap works.

Other systems have engines of their own, see choosing; where none stands, no code runs (`code_can_run`).

Never imports method, models, store or readers. Modules: client (the door), process and piped (a worker from outside),
hearing (what it may ask), outside (what the kernel says of it), engines (its command line), walls (their names), and
inside it worker, asking and lockdown.
"""

from r3con_core.sandbox.choosing import improvements
from r3con_core.sandbox.client import Sandbox, code_can_ask, code_can_run, finding, open_sandbox, walls_here
from r3con_core.sandbox.hearing import Answering
from r3con_core.sandbox.process import Limits
from r3con_core.sandbox.walls import meaning_of

__all__ = [
    "Answering",
    "Limits",
    "Sandbox",
    "code_can_ask",
    "code_can_run",
    "finding",
    "improvements",
    "meaning_of",
    "open_sandbox",
    "walls_here",
]
