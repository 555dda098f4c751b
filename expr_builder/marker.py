"""How the values of a unique field become the key of its marker.

A marker is an item whose partition key holds a value: only primary keys are unique in DynamoDB.
"""

from __future__ import annotations

from collections.abc import Mapping

from .attribute_values.numbers import is_decimal, to_number
from .attribute_values.text import to_text
from .errors import BuildError
from .expressions.paths import parse_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import timedelta
    from decimal import Decimal
    from typing import NoReturn, TypeAlias

    Normalize: TypeAlias = Callable[[str], str]

_HEX_DIGITS = frozenset("0123456789abcdef")
_DIGEST_LENGTH = 64  # hex digits of a SHA-256
_LONGEST_HOLD = 100 * 366 * 86_400  # seconds; a number of seconds by mistake for a timedelta would not stand out


class Marker:
    """How the marker of one unique field is keyed.

    Args:
        template: The marker's partition key. ``{}`` stands for the field's value: ``"UNIQ#EMAIL#{}"``. Names stand for
            attributes of the record: ``"ORG#{org_id}#SLUG#{slug}"`` keeps a slug unique within its organisation, and
            ``"UNIQ#EMAIL#{contact.email}"`` is an attribute inside a map. The value belongs in the partition key: with
            a common one, all sign-ups would meet in one hot partition.
        normalize: Turns a value into the form that is compared, such as lower case; without it, the value as it is.
            Of several attributes it normalizes the field's own; a mapping of names to functions says otherwise.
        sort: The marker's sort key, in a table that has one.
        optional: Whether a record may lack an attribute, or have ``None`` (NULL) in it; it then has no marker.
        each: The field's own attribute is a list or a set of texts, and each element has a marker of its own.
        digest: Whether the key holds the SHA-256 of the normalised values in their place: keys appear in logs and
            metrics, and values may be long. With bytes, it is keyed by that secret, so that nobody can find the values
            by trying. The secret must never change.
        hold: How long a value rests when a record gives it up. Its marker stays meanwhile, with its former owner and
            ``free_at``, the time (in seconds since 1970) from which anybody may claim it; only the former owner may
            before. ``free_at`` can be the table's time to live.
        previous: Rules that were in force before. While they are listed, a value is claimed and released by all of
            them, so that old and new code never accept one value twice.

    Raises:
        BuildError: for a template, or another argument, that cannot be used.
    """

    __slots__ = (
        "_is_bound",
        "_literals",
        "_normalizers",
        "_secret",
        "digest",
        "each",
        "hold",
        "hold_seconds",
        "names",
        "normalize",
        "optional",
        "previous",
        "sort",
        "template",
    )

    def __init__(
        self,
        template: str,
        *,
        normalize: Normalize | Mapping[str, Normalize] | None = None,
        sort: str | float | Decimal | bytes = "LOCK",
        optional: bool = False,
        each: bool = False,
        digest: bool | bytes = False,
        hold: timedelta | None = None,
        previous: Sequence[Marker] = (),
    ) -> None:
        if not isinstance(template, str):
            _refuse_template("a marker's template is text with {} for the value")
        self.template = to_text(template)
        literals, names = _read_template(self.template)
        self._literals = literals
        self.names = names
        """The attributes whose values the key holds, as the template names them; ``""`` is the field itself."""
        self.normalize = normalize
        self._is_bound = normalize is None or isinstance(normalize, Mapping) or len(names) == 1
        self._normalizers = _read_normalizers(normalize, names)
        self.sort = to_text(sort) if isinstance(sort, str) else sort
        self.optional = optional
        self.each = each
        self._secret = _read_secret(digest)
        self.digest = digest is True or self._secret is not None
        self.hold = hold
        self.hold_seconds = _read_hold(hold)
        self.previous = _read_previous(previous, self.sort)

    def __repr__(self) -> str:
        return f"Marker({self.template!r}{', optional' if self.optional else ''})"

    def find_own(self, field: str) -> int | None:
        """The position of the field's own attribute among :attr:`names`; ``None`` if the template does not name it."""
        return next((position for position, name in enumerate(self.names) if name in ("", field)), None)

    def bind(self, field: str) -> Marker:
        """The rule as it is for this field: a single function normalizes the field's own attribute.

        Raises:
            BuildError: when the template does not name the field, and so the function, or ``each``, has no attribute.
        """
        previous = tuple(rule.bind(field) for rule in self.previous)
        own = self.find_own(field)
        if own is None and (self.each or not self._is_bound):
            what = "each=True" if self.each else "one function for normalize"
            _refuse_argument(
                f"{what} is about the field's own attribute, and the template does not name {field}",
                "write {} for it" if self.each else f"say which attribute: normalize={{{self.names[-1]!r}: …}}",
            )
        if own is None or (self._is_bound and previous == self.previous):
            return self
        return Marker(
            self.template,
            normalize=self.normalize if self._is_bound else {self.names[own]: self.normalize},  # type: ignore[dict-item]
            sort=self.sort,
            optional=self.optional,
            each=self.each,
            digest=self._secret or self.digest,
            hold=self.hold,
            previous=previous,
        )

    @property
    def rules(self) -> tuple[Marker, ...]:
        """The rules that are in force together: this one, then the previous ones."""
        return (self, *self.previous)

    @property
    def prefix(self) -> str:
        """The beginning that the keys of all markers of this rule share."""
        return self._literals[0]

    def make_key(self, *values: object) -> str:
        """The marker's partition key for the values of the template's attributes, normalised.

        Raises:
            BuildError: for a value that is not text, or is empty, also once normalised: a marker of nothing would
                block everybody without a value. Beside others, a whole number may stand for its digits. A value that
                runs into what separates it from the next is refused, as two records could have one key.
        """
        literals = self._literals
        if len(values) != len(self.names):
            raise BuildError(
                f"the marker's key is made of {len(self.names)} values, not of {len(values)}",
                rule="marker-value",
                fix=f"pass them in the order of the template {self.template}",
            )
        if len(values) == 1:
            # An enumeration's member is the text that is stored of it, not what format() shows.
            normal = _take_text(values[0])
            if normal is not None and self._normalizers is not None:
                normal = _take_text(self._normalizers[0](normal))
            if not normal:
                raise BuildError("a unique value is a non-empty string", rule="marker-value", fix=_find_fix(values[0]))
        else:
            normal = self._join(values)
        if self.digest:
            normal = self._hash(normal)
        return f"{literals[0]}{normal}{literals[-1]}"

    def fits(self, partition: str) -> bool:
        """Whether this can be the partition key of a marker of this rule."""
        return self.extract(partition) is not None

    def extract(self, partition: str) -> str | None:
        """What a marker's partition key holds of the values, or their digest; ``None`` when it is of no such marker."""
        beginning, end = self._literals[0], self._literals[-1]
        long_enough = len(partition) > len(beginning) + len(end)
        if not (long_enough and partition.startswith(beginning) and partition.endswith(end)):
            return None
        middle = partition[len(beginning) : len(partition) - len(end)]
        if self.digest:
            return middle if len(middle) == _DIGEST_LENGTH and _HEX_DIGITS.issuperset(middle) else None
        return middle if self.split(middle) else None

    def split(self, text: str) -> tuple[str, ...] | None:
        """Values that are written as in the key, as a person may give them: ``"7#SLUG#home"``; ``None`` for others."""
        parts = []
        for separator in self._literals[1:-1]:
            part, found, text = text.partition(separator)
            if not found:
                return None
            parts.append(part)
        parts.append(text)
        return tuple(parts) if all(parts) else None

    def _join(self, values: Sequence[object]) -> str:
        if not self._is_bound:  # Unique does, with the field's name
            self.bind("")
        texts = tuple(map(self._write_value, range(len(values)), values))
        joined = texts[0] + "".join(
            separator + text for separator, text in zip(self._literals[1:-1], texts[1:], strict=True)
        )
        if self.split(joined) != texts:
            raise BuildError(
                "a value contains what separates it from the next one in the marker's key",
                rule="marker-value",
                fix=f"keep the separators of {self.template} out of the values, or choose others",
            )
        return joined

    def _write_value(self, position: int, value: object) -> str:
        if is_decimal(type(value)) or (isinstance(value, int) and not isinstance(value, bool)):
            text: str | None = to_number(value)  # type: ignore[arg-type]  # such as a tenant's
        else:
            text = _take_text(value)
        if text is not None and self._normalizers is not None:
            text = _take_text(self._normalizers[position](text))
        if not text:
            raise BuildError(
                f"{self.names[position] or 'the value'} is no non-empty string and no number",
                rule="marker-value",
                fix=_find_fix(value),
            )
        return text

    def _hash(self, text: str) -> str:
        import hashlib  # here, as few markers need them: both take a while to load
        import hmac

        if self._secret is None:
            return hashlib.sha256(text.encode()).hexdigest()
        return hmac.new(self._secret, text.encode(), hashlib.sha256).hexdigest()

    @property
    def secret_name(self) -> str | None:
        """A name of the secret that does not give it away; ``None`` without one."""
        return None if self._secret is None else self._hash("name")[:12]


def _take_text(value: object) -> str | None:
    if type(value) is str:
        return value
    return to_text(value) if isinstance(value, str) else None


def _find_fix(value: object) -> str:
    if isinstance(value, list | tuple | set | frozenset):
        return "declare the Marker each=True, and each element has a marker of its own"
    if value is None or isinstance(value, str):
        return "give the record the value, or declare the Marker optional=True"
    return "store the value as text"


def _read_template(template: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The texts around the placeholders, and their names."""
    first, *parts = template.split("{")
    pairs = [part.partition("}") for part in parts]
    names = tuple(name for name, _, _ in pairs)
    literals = (first, *(literal for _, _, literal in pairs))
    if not names or "}" in "".join(literals) or not all(closed for _, closed, _ in pairs):
        _refuse_template("a marker's template is text with {} for the value, or with {names} of attributes")
    if len({*names}) < len(names):
        _refuse_template("a marker's template names an attribute twice")
    if not all(literals[1:-1]):
        _refuse_template("nothing stands between two values of a marker's template, so that two keys could be one")
    for name in names:
        if name:
            try:
                parse_path(name)
            except BuildError as error:
                raise error.within("Marker") from None
    return literals, names


def _refuse_template(message: str) -> NoReturn:
    raise BuildError(
        message, rule="marker-template", place="Marker", fix='such as "UNIQ#EMAIL#{}", or "ORG#{org_id}#SLUG#{slug}"'
    )


def _refuse_argument(message: str, fix: str) -> NoReturn:
    raise BuildError(message, rule="marker-field", place="Marker", fix=fix)


def _keep(text: str) -> str:
    return text


def _read_normalizers(normalize: object, names: Sequence[str]) -> tuple[Normalize, ...] | None:
    if normalize is None:
        return None
    named: dict[str, Normalize] = {}
    if isinstance(normalize, Mapping):
        named = {to_text(name): function for name, function in normalize.items()}
        if unknown := [name for name in named if name not in names]:
            _refuse_argument(f"normalize names {', '.join(unknown)}", f"the template has {', '.join(names) or '{}'}")
    elif len(names) == 1:
        named = {names[0]: normalize}  # type: ignore[dict-item]  # checked below
    for function in named.values() or [normalize]:
        if not callable(function) and not isinstance(function, Mapping):
            _refuse_argument(
                f"normalize is a {type(function).__name__}, which cannot be called",
                "pass a function of one text that returns one, such as str.lower",
            )
    return tuple(named.get(name, _keep) for name in names)


def _read_secret(digest: object) -> bytes | None:
    if isinstance(digest, bool):
        return None
    if not isinstance(digest, bytes) or not digest:
        _refuse_argument(f"digest is a {type(digest).__name__}", "True, or a secret of some bytes")
    return bytes(digest)


def _read_hold(hold: timedelta | None) -> int:
    """How many seconds a value rests; 0 when it does not."""
    if hold is None:
        return 0
    try:
        seconds = hold.total_seconds()
    except AttributeError:
        _refuse_argument(f"hold is a {type(hold).__name__}", "pass a timedelta, such as timedelta(days=30)")
    if not 1 <= seconds <= _LONGEST_HOLD:
        _refuse_argument("hold is shorter than a second, or longer than a century", "such as timedelta(days=30)")
    return int(seconds)


def _read_previous(previous: object, sort: object) -> tuple[Marker, ...]:
    rules = (previous,) if isinstance(previous, Marker) else previous
    if not isinstance(rules, list | tuple) or not all(isinstance(rule, Marker) for rule in rules):
        _refuse_argument(f"previous is a {type(previous).__name__}", "a list of Markers: previous=[Marker(…)]")
    for rule in rules:
        if rule.previous or rule.hold_seconds or rule.each:
            _refuse_argument(
                "a previous rule has previous=, hold= or each= of its own",
                "list all previous rules in one list; they follow the new rule in the rest",
            )
        if rule.sort != sort or type(rule.sort) is not type(sort):
            _refuse_argument("a previous rule has another sort key", "give both rules one sort=")
    return tuple(rules)
