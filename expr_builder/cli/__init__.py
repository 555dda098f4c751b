"""The command ``expr-builder``: draft, lint and explain requests in a shell.

Exit status: 0 when all is well; 1 when DynamoDB would refuse what was asked about; 2 when the arguments or a file
cannot be read.
"""

from __future__ import annotations

import os
import sys

from expr_builder.errors import BuildError
from expr_builder.expressions.tokens import ExpressionSyntaxError

from .arguments import parse_arguments
from .documents import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from io import TextIOWrapper
    from typing import TextIO

__all__ = ["main"]

_REFUSED, _UNREADABLE, _INTERRUPTED, _BROKEN_PIPE = 1, 2, 130, 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: The arguments after the command's name; those of the process when left out.

    Returns:
        The exit status.
    """
    for stream in (sys.stdout, sys.stderr):
        _write_utf_8(stream)  # type: ignore[arg-type]  # both are text files, whatever the type says
    try:
        arguments = parse_arguments(sys.argv[1:] if argv is None else argv)
        status = arguments.run(arguments)
        sys.stdout.flush()
    except InputError as error:
        return _fail(str(error), _UNREADABLE)
    except ExpressionSyntaxError as error:
        pointed = "\n".join(f"  {line}" for line in error.pointed().splitlines())
        return _fail(f"{error}\n{pointed}", _REFUSED)
    except BuildError as error:
        return _fail(str(error), _REFUSED)
    except RecursionError:
        return _fail("the input is nested too deeply", _UNREADABLE)
    except BrokenPipeError:  # the reader, such as head, has seen enough
        _discard(sys.stdout)
        return _BROKEN_PIPE
    except OSError as error:
        _discard(sys.stdout)
        return _fail(f"cannot write the output: {error.strerror}", _UNREADABLE)
    except KeyboardInterrupt:
        return _INTERRUPTED
    return int(status)


def _fail(message: str, status: int) -> int:
    sys.stderr.write(f"expr-builder: {message}\n")
    return status


def _write_utf_8(stream: TextIOWrapper) -> None:
    """JSON is UTF-8 whatever the locale says; half a surrogate pair is shown as an escape."""
    stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _discard(stream: TextIO) -> None:
    """Lead what is still buffered nowhere, so that Python does not complain about it when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
