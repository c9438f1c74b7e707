"""Code becomes an Execution: generated Python runs in a locked-down process of its own.

The code is steered by documents, and documents may be written by an adversary. What the walls cover, on Linux, each
shown by a test in tests/unit/test_sandbox.py:

- Files: the Python runtime can be read, an empty scratch folder used (1,000 files, 64 MB, no subfolders); nothing else.
- No network, no other processes, none started, no signals, nothing of the host's environment or memory.
- Time and output of a step, memory: limited; the step ends with a fault in words and the host goes on.
- The answer comes in a field of its own. Printing, or writing to any file descriptor, cannot make one.

What is not covered:

- **What the code says is the code's word.** It shares its interpreter with the few lines that report on it, so an
  earlier step of the same session can alter what later steps print or propose. Hence the host checks cited records
  and quotes against its own copy. Another session is not reached.
- Without bubblewrap the code can learn whether a file of a given name exists, and its size.
- Faults of the kernel or the processor; for that reason two independent walls stand where bubblewrap works.
- macOS is written but was never run; other systems have no walls, so no code runs there (`code_can_run`).

Never imports method, models, store or readers. Modules: client (the door), process (a worker from outside), engines
(its command line), and inside it worker and lockdown.
"""

from r3con_core.sandbox.client import Sandbox, code_can_run, open_sandbox
from r3con_core.sandbox.process import Limits

__all__ = ["Limits", "Sandbox", "code_can_run", "open_sandbox"]
