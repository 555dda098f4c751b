"""The accounts domain: one e-mail, one account; one username, one account.

Modules, from the ground up: ``errors``, ``settings``, ``identity`` (what makes two addresses the same), ``model``
(what comes in and goes out), ``schema`` (how it is stored), ``receipts`` (what an account remembers of its last
changes), ``service`` (what can be done, without HTTP), ``wiring`` (the one service of a container), and ``request``,
``problems``, ``observability``, ``api`` (the HTTP side of it).
"""
