"""A reader process: `python -m r3con_core.readers.isolation MEMORY SECONDS`; see `worker`."""

import sys

from r3con_core.readers.isolation.worker import main

if __name__ == "__main__":
    main(memory=int(sys.argv[1]), seconds=float(sys.argv[2]))
