"""The state machines of the policies: what an instance remembers, and what it decides.

A machine does no input or output and has no clock: the moment is passed in, in nanoseconds. What happens to it is
returned as events, which the caller emits when no lock is held. Helpers that need the lock end in `_locked`. These
modules are imported when the first instance is made, not with the declarations.

Locks are reentrant: a garbage collection may come while one is held and close a coroutine that waits for the same
machine, whose `finally` then gives back what it holds.
"""
