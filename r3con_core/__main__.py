"""`python -m r3con_core` is the command `r3con`."""

from r3con_core.cli import main

raise SystemExit(main())
