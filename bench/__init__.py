"""``make bench``: what the library and the service cost, each figure as a ratio taken in one run.

``__main__`` runs the parts (``building``, ``starting``, ``handling``, ``serving``, ``tables``), prints one
table and writes ``results.json`` and the generated part of ``docs/performance.md``.
"""
