"""The position of a scan, kept in a file, so that an interrupted one can resume."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from expr_builder.attribute_values.json_form import make_json
from expr_builder.attribute_values.values import to_attribute_value

from .position import Position

if TYPE_CHECKING:
    from expr_builder.marker import Marker

    from .layout import Layout

_VERSION = 4  # of the file's form: an older file is refused, as that of another task
_SAVE_SECONDS = 2.0  # saving after each page would slow the scan; pages since the last save are read again


class CheckpointError(RuntimeError):
    """The file cannot be used; the message says why and what to do."""


class Checkpoint:
    """A file that holds the position of a scan. It contains keys, which are people's data: only its owner may read it.

    Args:
        path: The file; it need not exist.
        layout: What is scanned.
        task: What for, such as ``"audit"``: a checkpoint of another task, table or declaration is refused. Functions
            of the declaration are told apart by their names, and by an attribute ``version`` where they have one.

    Example:
        ``audit(layout, client, ScanOptions(checkpoint=Checkpoint(Path("audit.json"), layout, "audit")))``
    """

    def __init__(self, path: Path, layout: Layout, task: str) -> None:
        self._path = path
        self._task = {
            "version": _VERSION,
            "task": task,
            "table": layout.table.name,
            "layout": _describe_layout(layout),
        }
        self._saved = time.monotonic()

    def load(self) -> Position | None:
        """Read the position; ``None`` when there is no file yet.

        Raises:
            CheckpointError: when it cannot be read, or is not of this task.
        """
        try:
            data = json.loads(self._path.read_text(encoding="utf-8"))
            task, position = data.pop("of"), Position.from_json(data)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise CheckpointError(f"{self._path} cannot be read ({error.strerror}).") from None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise CheckpointError(f"{self._path} is no checkpoint: name another file.") from None
        # Resuming from it would skip whatever the other task has read.
        if task != self._task:
            raise CheckpointError(
                f"{self._path} belongs to another task, table or declaration: finish that, or delete the file."
            )
        return position

    def save(self, position: Position, *, now: bool = False) -> None:
        """Write the file: always with ``now``, else only when two seconds have passed since the last time.

        It is replaced as a whole: an interruption leaves the old file or the new one, never half of one.

        Raises:
            CheckpointError: when it cannot be written.
        """
        if not now and time.monotonic() - self._saved < _SAVE_SECONDS:
            return
        text = json.dumps({"of": self._task, **position.to_json()})
        try:
            # mkstemp lets nobody else read the file; beside the old one, as a rename does not cross file systems.
            descriptor, name = tempfile.mkstemp(dir=self._path.parent, prefix=f".{self._path.name}.")
            try:
                with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                    file.write(text)
                    file.flush()
                    os.fsync(file.fileno())  # before the rename, or a power cut could leave an empty file
                Path(name).replace(self._path)
            except BaseException:  # Ctrl-C too: no keys may stay behind in a temporary file
                with suppress(OSError):
                    Path(name).unlink()
                raise
        except OSError as error:
            raise CheckpointError(f"{self._path} cannot be written ({error.strerror}).") from None
        self._saved = time.monotonic()

    def remove(self) -> None:
        """Delete the file: the task is done."""
        self._path.unlink(missing_ok=True)


def _describe_layout(layout: Layout) -> object:
    """All of a declaration on which it depends what a scan finds, as JSON data."""
    markers = {field: [*map(_describe_rule, marker.rules)] for field, marker in layout.unique.markers.items()}
    return make_json(
        {
            "keys": [*layout.table.key_schema.types.items()],
            "owner": layout.unique.owner,
            "markers": markers,
            "record_sort": to_attribute_value(layout.record_sort),
            "record_prefix": layout.record_prefix,
            "record_key": _identify_function(layout.record_key),
            "reserved": layout.reserved,
        }
    )


def _describe_rule(rule: Marker) -> object:
    named = isinstance(rule.normalize, Mapping)
    functions: Mapping[str, object] = rule.normalize if named else {"": rule.normalize}  # type: ignore[assignment]
    return {
        "template": rule.template,
        "sort": to_attribute_value(rule.sort),
        "optional": rule.optional,
        "each": rule.each,
        "digest": [rule.digest, rule.secret_name],
        "hold": rule.hold_seconds,
        "normalize": {name: _identify_function(function) for name, function in functions.items()},
    }


def _identify_function(function: object) -> list[str] | None:
    if function is None:
        return None
    kind = type(function)  # of an object that can be called
    name = f"{getattr(function, '__module__', kind.__module__)}.{getattr(function, '__qualname__', kind.__qualname__)}"
    return [name, str(getattr(function, "version", ""))]
