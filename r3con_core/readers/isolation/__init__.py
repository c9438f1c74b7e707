"""Reading in processes of their own, so that a file that crashes, hangs or eats memory costs that file only.

Modules: protocol (what goes over the pipes), worker (inside a reader process), confine (what the process gives up),
process (one from outside), spool (a queue that goes to disk when it is long), tasks (what is being read), pool (which
process reads what, and when).
"""
