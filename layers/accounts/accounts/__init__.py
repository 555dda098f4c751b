"""The accounts domain: one e-mail, one account; one username, one account.

Modules, from the ground up: ``errors``, ``settings``, ``identity`` (when two addresses are the same), ``model``
(requests and answers), ``schema`` (how accounts are stored), ``receipts`` (an account's answers to its last changes),
``service`` (all operations, without HTTP), ``wiring`` (the one service of a container), and ``request``, ``problems``,
``observability``, ``api`` (HTTP).
"""
