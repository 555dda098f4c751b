"""The command ``expr-builder``: draft, lint and explain requests in a shell; audit and mend uniqueness markers.

Exit status: 0 when all is well; 1 when DynamoDB would refuse the request, or markers are wrong; 2 when the command
could not do its work.
"""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper

from expr_builder.errors import BuildError, ExpressionSyntaxError

from .arguments import parse_arguments
from .documents import CommandError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

__all__ = ["main"]

# The last two are what a shell reports of a process that SIGINT (2) or SIGPIPE (13) has ended: 128 and the signal.
_REFUSED, _UNREADABLE, _INTERRUPTED, _BROKEN_PIPE = 1, 2, 130, 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: The arguments after the command's name; those of the process when left out.

    Returns:
        The exit status.
    """
    for stream in (sys.stdout, sys.stderr):
        # JSON is UTF-8 whatever the locale says; half a surrogate pair is shown as an escape. A caller from Python may
        # have put another kind of stream in their place.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        return _run(sys.argv[1:] if argv is None else argv)
    except CommandError as error:
        return _fail(str(error), _UNREADABLE)
    except ExpressionSyntaxError as error:
        pointed = "\n".join(f"  {line}" for line in error.point().splitlines())
        return _fail(f"{error}\n{pointed}", _REFUSED)
    except BuildError as error:
        return _fail(str(error), _REFUSED)
    except RecursionError:
        return _fail("the input is nested too deeply", _UNREADABLE)
    except BrokenPipeError:  # the reader, such as head, has seen enough
        _discard(sys.stdout)
        _discard(sys.stderr)
        return _BROKEN_PIPE
    except OSError as error:
        _discard(sys.stdout)
        return _fail(f"cannot write the output: {error.strerror}", _UNREADABLE)
    except KeyboardInterrupt:
        return _INTERRUPTED


def _run(argv: Sequence[str]) -> int:
    if sys.stdout is None:  # so Python shows that it was started with a closed one
        raise CommandError("cannot write the output: standard output is closed")
    try:
        arguments = parse_arguments(argv)
        return int(arguments.run(arguments))
    finally:
        sys.stdout.flush()  # here, where a closed pipe or a full disk is still handled; after --help, too


def _fail(message: str, status: int) -> int:
    if sys.stderr is not None:  # as it is when Python was started with a closed one
        try:
            sys.stderr.write(f"expr-builder: {message}\n")
            sys.stderr.flush()
        except OSError:  # nobody reads it: the status tells
            _discard(sys.stderr)
    return status


def _discard(stream: TextIO) -> None:
    """Send what is still buffered to /dev/null, so that Python does not complain about it at exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (AttributeError, OSError):
        return  # no file is behind it, so nothing is left to be written at exit
