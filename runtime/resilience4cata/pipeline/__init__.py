"""Running a call through its policies.

Imported when a call is first guarded, never by declarations alone.
"""
