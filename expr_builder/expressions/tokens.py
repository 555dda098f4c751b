"""Splits expression text into tokens, each with its place in the text.

Text that people write may contain, beyond DynamoDB's own grammar, literals (numbers, ``'text'`` with ``''`` for a quote
inside) and names in backquotes (a backquote inside is doubled). Strict text, as in a request, has neither.
"""

from __future__ import annotations

import re  # slow to load, but only parsing needs this module

NAME, QUOTED, ALIAS, VALUE, STRING = "name", "quoted", "alias", "value", "string"
NUMBER, MARK, BAD, END = "number", "mark", "bad", "end"

_MARKS = r"(?P<mark><>|<=|>=|[=<>(),.\[\]+-])"
_PLACEHOLDERS = r"(?P<alias>\#[A-Za-z0-9_]+)|(?P<value>:[A-Za-z0-9_]+)"
_SPACE = r"(?P<space>[ \t\r\n]+)"
# Anything else. Of a bad word the whole, as DynamoDB's errors show it.
_BAD = r"(?P<bad>[A-Za-z0-9_]+|.)"
# A number is not followed by a letter: 1a is one bad word, not a number and a name.
_STRICT = re.compile(
    rf"{_SPACE}|(?P<name>[A-Za-z][A-Za-z0-9_]*)|{_PLACEHOLDERS}|(?P<number>[0-9]+(?![A-Za-z0-9_]))|{_MARKS}|{_BAD}",
    re.DOTALL,
)
_WITH_LITERALS = re.compile(
    rf"{_SPACE}|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|{_PLACEHOLDERS}"
    r"|(?P<number>[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![A-Za-z0-9_]))"
    rf"|(?P<string>'(?:[^']|'')*')|(?P<quoted>`(?:[^`]|``)+`)|{_MARKS}|{_BAD}",
    re.DOTALL,
)


class Token:
    """One word or mark.

    Attributes:
        kind: One of the constants of this module.
        text: As written.
        start: Its offset in the text, from 0.
        position: How many tokens are before it.
    """

    __slots__ = ("kind", "position", "start", "text")

    def __init__(self, kind: str, text: str, start: int, position: int) -> None:
        self.kind = kind
        self.text = text
        self.start = start
        self.position = position

    @property
    def column(self) -> int:
        """Its place in the text, from 1."""
        return self.start + 1

    def is_mark(self, mark: str) -> bool:
        """Tell whether it is this mark."""
        return self.kind == MARK and self.text == mark

    def is_word(self, word: str) -> bool:
        """Tell whether it is this keyword (given in upper case), in any case."""
        return self.kind == NAME and self.text.upper() == word

    @property
    def name(self) -> str:
        """The name that a token of kind QUOTED stands for."""
        return self.text[1:-1].replace("``", "`")

    @property
    def string(self) -> str:
        """The text that a token of kind STRING stands for."""
        return self.text[1:-1].replace("''", "'")


def tokenize(text: str, *, literals: bool) -> list[Token]:
    """Split expression text; what is not a token gets the kind BAD. The last token is of kind END."""
    tokens: list[Token] = []
    for match in (_WITH_LITERALS if literals else _STRICT).finditer(text):
        kind = match.lastgroup
        if kind != "space":
            tokens.append(Token(kind or BAD, match.group(), match.start(), len(tokens)))
    tokens.append(Token(END, "", len(text), len(tokens)))
    return tokens


def quote_around(tokens: list[Token], token: Token, text: str, *, literals: bool) -> str:
    """The text from the token before to the one after, as DynamoDB quotes it.

    In text with literals, literals are blotted out: they are people's values. Beside a bad token only that token is
    shown, as a missing quote can make anything part of a value.
    """
    around = tokens[max(token.position - 1, 0) : token.position + 2]
    if literals and any(one.kind == BAD for one in around):
        around = [token]
    shown = ""
    end = around[0].start
    for one in around:
        shown += text[end : one.start] + (blot_out(one) if literals else one.text)
        end = one.start + len(one.text)
    return shown.strip()


def blot_out(token: Token) -> str:
    """The token's text, unless it is a literal or may be a piece of one."""
    hidden = token.kind in (STRING, NUMBER) or (token.kind == BAD and len(token.text) > 1)
    return f"<{token.kind}>" if hidden else token.text
