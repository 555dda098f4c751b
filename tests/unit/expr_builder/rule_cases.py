"""For every rule of lint and every operation to which it applies: a request that keeps it and one that breaks it.

What the rules are, with one example of each, is in ``expr_builder/rules.json``; a row of the tables here is one line, however long.
"""

# ruff: noqa: E501, ISC004

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from expr_builder import Index, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Case(NamedTuple):
    """A request that keeps a rule and one that breaks nothing but it.

    ``pointer`` and ``message`` are of the problem that lint finds in the latter.
    """

    operation: str
    rule: str
    good: Any
    bad: Any
    pointer: str
    message: str
    code: str = "ValidationException"


TABLES = [
    Table(
        "accounts",
        partition_key="PK",
        sort_key="SK",
        indexes={
            "ByEmail": Index("email", "created"),
            "ByDate": Index("PK", "created", local=True),
            "ByKeys": Index("slug", projection="KEYS_ONLY"),
        },
    )
]

KEY = {"PK": {"S": "ACCT#1"}, "SK": {"S": "PROFILE"}}
OTHER_KEY = {"PK": {"S": "ACCT#2"}, "SK": {"S": "PROFILE"}}


def put(**members: Any) -> dict[str, Any]:
    return {"TableName": "accounts", "Item": KEY, **members}


def keyed(**members: Any) -> dict[str, Any]:
    return {"TableName": "accounts", "Key": KEY, **members}


def query(**members: Any) -> dict[str, Any]:
    values = {":pk": {"S": "ACCT#1"}, **members.pop("ExpressionAttributeValues", {})}
    return {
        "TableName": "accounts",
        "KeyConditionExpression": "PK = :pk",
        "ExpressionAttributeValues": values,
        **members,
    }


def scan(**members: Any) -> dict[str, Any]:
    return {"TableName": "accounts", **members}


def transact(kind: str, action: dict[str, Any], **members: Any) -> dict[str, Any]:
    return {"TransactItems": [{kind: action}], **members}


def batch_put(item: Any) -> dict[str, Any]:
    return {"RequestItems": {"accounts": [{"PutRequest": {"Item": item}}]}}


def batch_delete(key: Any) -> dict[str, Any]:
    return {"RequestItems": {"accounts": [{"DeleteRequest": {"Key": key}}]}}


def batch_get(**members: Any) -> dict[str, Any]:
    return {"RequestItems": {"accounts": {"Keys": [KEY], **members}}}


class Site(NamedTuple):
    """Where a part of a request can stand: the operation, what is around it, and where that puts it."""

    operation: str
    wrap: Callable[..., dict[str, Any]]
    prefix: str = ""
    member: str = ""


CONDITION_SITES = [
    Site("PutItem", put, "", "ConditionExpression"),
    Site("UpdateItem", keyed, "", "ConditionExpression"),
    Site("DeleteItem", keyed, "", "ConditionExpression"),
    Site("Query", query, "", "FilterExpression"),
    Site("Scan", scan, "", "FilterExpression"),
    Site(
        "TransactWriteItems",
        lambda **members: transact("ConditionCheck", keyed(**members)),
        "/TransactItems/0/ConditionCheck",
        "ConditionExpression",
    ),
]
UPDATE_SITES = [
    Site("UpdateItem", keyed, "", "UpdateExpression"),
    Site(
        "TransactWriteItems",
        lambda **members: transact("Update", keyed(**members)),
        "/TransactItems/0/Update",
        "UpdateExpression",
    ),
]
PROJECTION_SITES = [
    Site("GetItem", keyed, "", "ProjectionExpression"),
    Site("Query", query, "", "ProjectionExpression"),
    Site("Scan", scan, "", "ProjectionExpression"),
    Site("BatchGetItem", batch_get, "/RequestItems/accounts", "ProjectionExpression"),
    Site(
        "TransactGetItems",
        lambda **members: transact("Get", keyed(**members)),
        "/TransactItems/0/Get",
        "ProjectionExpression",
    ),
]
ITEM_SITES = [
    Site("PutItem", lambda item: put(Item=item), "/Item"),
    Site("BatchWriteItem", batch_put, "/RequestItems/accounts/0/PutRequest/Item"),
    Site("TransactWriteItems", lambda item: transact("Put", put(Item=item)), "/TransactItems/0/Put/Item"),
]
KEY_SITES = [
    Site("UpdateItem", lambda key: keyed(Key=key), "/Key"),
    Site("DeleteItem", lambda key: keyed(Key=key), "/Key"),
    Site("GetItem", lambda key: keyed(Key=key), "/Key"),
    Site("BatchGetItem", lambda key: batch_get(Keys=[key]), "/RequestItems/accounts/Keys/0"),
    Site("BatchWriteItem", batch_delete, "/RequestItems/accounts/0/DeleteRequest/Key"),
    Site("TransactWriteItems", lambda key: transact("Delete", keyed(Key=key)), "/TransactItems/0/Delete/Key"),
    Site("TransactGetItems", lambda key: transact("Get", keyed(Key=key)), "/TransactItems/0/Get/Key"),
]

ENVELOPE = "1 validation error detected: "


def said(operation: str, words: str) -> str:
    """The words as the service has them since mid-2026: those of single writes come in an envelope."""
    return f"{ENVELOPE}{words}" if operation in ("PutItem", "UpdateItem", "DeleteItem") else words


N, S, TRUE = {"N": "5"}, {"S": "x"}, {"BOOL": True}
INVALID = "One or more parameter values were invalid: "
UNFIT = "Incorrect operand type for operator or function; operator or function: "


class Fault(NamedTuple):
    """An expression that keeps a rule, one that breaks it, and the words for that."""

    rule: str
    good: str
    bad: str
    words: str
    values: dict[str, Any] = {}  # noqa: RUF012  # never changed
    names: dict[str, Any] = {}  # noqa: RUF012


CONDITION_FAULTS = [
    Fault("expression-empty", "attribute_exists(a)", "", "The expression can not be empty;"),
    Fault("syntax", "a = b", "a = = b", 'Syntax error; token: "=", near: "= = b"'),
    Fault("syntax", "a = b", "a = 'text'", """Syntax error; token: "'", near: "= 'text\""""),
    Fault("expression-length", "a = b", f"a = b{' ' * 4096}", "Expression size has exceeded the maximum allowed size; expression size: 4101"),
    Fault("expression-operators", " AND ".join(["a<b"] * 150), " AND ".join(["a<b"] * 151), "The expression contains too many operators; operator count: 301"),
    Fault("parentheses", "(a = b)", "((a = b))", "The expression has redundant parentheses;"),
    Fault("parentheses", "a = b AND (c = d OR e = f)", "a = b AND ((c = d OR e = f))", "The expression has redundant parentheses;"),
    Fault("function-name", "contains(a, b)", "CONTAINS(a, b)", "Invalid function name; function: CONTAINS"),
    Fault("function-name", "attribute_exists(a)", "a = if_not_exists(b, c)", "The function is not allowed in a condition expression; function: if_not_exists"),
    Fault("function-operands", "contains(a, b)", "contains(a)", "Incorrect number of operands for operator or function; operator or function: contains, number of operands: 1"),
    Fault("function-place", "size(a) < b", "size(a)", "The function is not allowed to be used this way in an expression; function: size"),
    Fault("function-place", "contains(a, b)", "contains(a, b) = c", "The function is not allowed to be used this way in an expression; function: contains"),
    Fault("reserved-word", "stat = a", "status = a", "Attribute name is a reserved keyword; reserved keyword: status"),
    Fault("operand-distinct", "a = b", "a.b[0] = a.b[0]", "The first operand must be distinct from the remaining operands for this operator or function; operator: =, first operand: [a, b, [0]]"),
    Fault("operand-distinct", "contains(a, b)", "contains(a, a)", "The first operand must be distinct from the remaining operands for this operator or function; operator: contains, first operand: [a]"),
    Fault("operand-type", "a = :v", "a < :v", f"{UNFIT}<, operand type: BOOL", {":v": TRUE}),
    Fault("operand-type", "a = :v", "a BETWEEN :v AND b", f"{UNFIT}BETWEEN, operand type: BOOL", {":v": TRUE}),
    Fault("operand-type", "contains(a, :v)", "begins_with(a, :v)", f"{UNFIT}begins_with, operand type: N", {":v": N}),
    Fault("operand-type", "a = :v", "contains(a, :v)", f"{UNFIT}contains, operand type: SS", {":v": {"SS": ["x"]}}),
    Fault("operand-type", "size(a) = :v", "size(:v) = a", f"{UNFIT}size, operand type: N", {":v": N}),
    Fault("operand-path", "a = :v", "attribute_exists(:v)", "Operator or function requires a document path; operator or function: attribute_exists", {":v": S}),
    Fault("between-types", "a BETWEEN :v AND b", "a BETWEEN :v AND :w", "The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: AttributeValue: {N:5}, upper bound operand: AttributeValue: {S:x}", {":v": N, ":w": S}),
    Fault("between-order", "a BETWEEN :v AND :w", "a BETWEEN :w AND :v", "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {N:5}, upper bound operand: AttributeValue: {N:4}", {":v": {"N": "4"}, ":w": N}),
    Fault("in-choices", f"a IN ({', '.join('b' * 100)})", f"a IN ({', '.join('b' * 101)})", "The IN operator is provided with too many operands; number of operands: 101"),
    Fault("attribute-type", "attribute_type(a, :v)", "attribute_type(a, :w)", "Invalid attribute type name found; type: STRING, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}", {":v": {"S": "S"}, ":w": {"S": "STRING"}}),
    Fault("attribute-type", "attribute_type(a, :v)", "attribute_type(a, :w)", f"{UNFIT}attribute_type, operand type: N", {":v": {"S": "N"}, ":w": N}),
    Fault("attribute-type", "attribute_exists(a)", "attribute_type(a, b)", f"{UNFIT}attribute_type, operand type: {{NS,SS,L,BS,N,M,B,BOOL,NULL,S}}"),
    Fault("path-depth", f"a{'.b' * 32} = c", f"a{'.b' * 33} = c", "The document path has too many nesting levels; nesting levels: 34"),
    Fault("path-index", "a[0] = b", "a[12345678901] = b", "List index is not within the allowable range; index: [12345678901]"),
    Fault("placeholder-undefined", "a = b", "a = :w", "An expression attribute value used in expression is not defined; attribute value: :w"),
    Fault("placeholder-undefined", "a = b", "#w = b", "An expression attribute name used in the document path is not defined; attribute name: #w"),
]  # fmt: skip

UPDATE_FAULTS = [
    Fault("expression-empty", "REMOVE a", "", "The expression can not be empty;"),
    Fault("syntax", "REMOVE a", "INVALID SYNTAX", 'Syntax error; token: "INVALID", near: "INVALID SYNTAX"'),
    Fault("syntax", "SET a = b + c", "SET a = b + c + d", 'Syntax error; token: "+", near: "c + d"'),
    Fault("syntax", "ADD a :v", "ADD a b", 'Syntax error; token: "b", near: "a b"', {":v": N}),
    Fault("reserved-word", "SET stat = a", "SET status = a", "Attribute name is a reserved keyword; reserved keyword: status"),
    Fault("function-name", "SET a = if_not_exists(b, c)", "SET a = size(b)", "The function is not allowed in an update expression; function: size"),
    Fault("function-operands", "SET a = if_not_exists(b, c)", "SET a = if_not_exists(b)", "Incorrect number of operands for operator or function; operator or function: if_not_exists, number of operands: 1"),
    Fault("operand-path", "SET a = if_not_exists(b, :v)", "SET a = if_not_exists(:v, b)", "Operator or function requires a document path; operator or function: if_not_exists", {":v": N}),
    Fault("update-clause", "SET a = b, c = d", "SET a = b SET c = d", 'The "SET" section can only be used once in an update expression;'),
    Fault("update-overlap", "SET a.b = c REMOVE a.c", "SET a = b REMOVE a.c", "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a], path two: [a, c]"),
    Fault("update-overlap", "REMOVE a[0], a[2]", "REMOVE a[0], a.b", "Two document paths conflict with each other; must remove or rewrite one of these paths; path one: [a, [0]], path two: [a, b]"),
    Fault("update-operand", "SET a = :v", "ADD a :v", "Incorrect operand type for operator or function; operator: ADD, operand type: STRING", {":v": S}),
    Fault("update-operand", "ADD a :v", "DELETE a :v", "Incorrect operand type for operator or function; operator: DELETE, operand type: NUMBER", {":v": N}),
    Fault("update-arithmetic", "SET a = :v", "SET a = a + :v", f"{UNFIT}+, operand type: S", {":v": S}),
    Fault("update-arithmetic", "SET a = list_append(b, c)", "SET a = list_append(b, c) - d", f"{UNFIT}-, operand type: L"),
    Fault("update-arithmetic", "SET a = (b + c)", "SET a = (b + c) + d", 'Syntax error; token: "+"'),
    Fault("update-list", "SET a = list_append(a, :v)", "SET a = list_append(a, :w)", f"{UNFIT}list_append, operand type: S", {":v": {"L": [S]}, ":w": S}),
    Fault("expression-length", "REMOVE a", f"REMOVE a{' ' * 4096}", "Expression size has exceeded the maximum allowed size; expression size: 4104"),
    Fault("placeholder-undefined", "SET a = b", "SET a = :w", "An expression attribute value used in expression is not defined; attribute value: :w"),
]  # fmt: skip

PROJECTION_FAULTS = [
    Fault("expression-empty", "a", "", "The expression can not be empty;"),
    Fault("syntax", "a, b", "a b", 'Syntax error; token: "b", near: "a b"'),
    Fault("reserved-word", "stat", "status", "Attribute name is a reserved keyword; reserved keyword: status"),
    Fault("projection-overlap", "a.b, a.c", "a.b, a", "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a, b], path two: [a]"),
    Fault("projection-overlap", "a[0], a[1]", "a[0], a.b", "Two document paths conflict with each other; must remove or rewrite one of these paths; path one: [a, [0]], path two: [a, b]"),
    Fault("expression-length", "a", f"a{' ' * 4096}", "Expression size has exceeded the maximum allowed size; expression size: 4097"),
    Fault("placeholder-undefined", "a", "#w", "An expression attribute name used in the document path is not defined; attribute name: #w"),
    Fault("path-depth", f"a{'.b' * 32}", f"a{'.b' * 33}", "The document path has too many nesting levels; nesting levels: 34"),
]  # fmt: skip


def expression_cases(sites: list[Site], faults: list[Fault]) -> Iterator[Case]:
    for site in sites:
        for fault in faults:
            good, bad = (with_used(site, text, fault) for text in (fault.good, fault.bad))
            message = said(site.operation, f"Invalid {site.member}: {fault.words}")
            yield Case(site.operation, fault.rule, good, bad, f"{site.prefix}/{site.member}", message)


def with_used(site: Site, text: str, fault: Fault) -> dict[str, Any]:
    """The request with this expression, and with those values that it uses."""
    members: dict[str, Any] = {site.member: text}
    values = {name: value for name, value in fault.values.items() if name in text}
    if values:
        members["ExpressionAttributeValues"] = values
    return site.wrap(**members)


def placeholder_cases() -> Iterator[Case]:
    """The maps of placeholders, for each operation that has them."""
    for site in (*CONDITION_SITES, *PROJECTION_SITES):
        good = site.wrap(**{site.member: uses_name(site), "ExpressionAttributeNames": {"#n": "status"}})

        def case(rule: str, at: str, message: str, names: Any, code: str = "ValidationException") -> Case:
            bad = site.wrap(**{site.member: uses_name(site), "ExpressionAttributeNames": names})  # noqa: B023
            pointer = f"{site.prefix}/ExpressionAttributeNames{at}"  # noqa: B023
            message = said(site.operation, message) if code == "ValidationException" else message  # noqa: B023
            return Case(site.operation, rule, good, bad, pointer, message, code)  # noqa: B023

        both, long = {"#n": "status", "#m": "a"}, "#" + "m" * 255
        yield case("placeholder-unused", "/#m", "Value provided in ExpressionAttributeNames unused in expressions: keys: {#m}", both)  # fmt: skip
        yield case("placeholder-syntax", "/m", 'ExpressionAttributeNames contains invalid key: Syntax error; key: "m"', {"#n": "a", "m": "b"})  # fmt: skip
        yield case("attribute-name", "/#n", "ExpressionAttributeNames contains invalid value: Empty attribute name for key #n", {"#n": ""})  # fmt: skip
        yield case("attribute-name", "/#n", "NUMBER_VALUE cannot be converted to String", {"#n": 5}, "SerializationException")  # fmt: skip
        yield case("member-type", "", "STRING_VALUE cannot be converted to Map", "#n", "SerializationException")
        bad = site.wrap(**{site.member: f"{uses_name(site)}", "ExpressionAttributeNames": {"#n": "a", long: "b"}})
        yield Case(
            site.operation,
            "placeholder-length",
            good,
            bad,
            f"{site.prefix}/ExpressionAttributeNames/{long}",
            said(
                site.operation,
                "ExpressionAttributeNames contains invalid key: The expression attribute map contains a key that is too "
                "long; key: #mmmmmmmmmmmmmmm…",
            ),
        )
    yield from value_map_cases()


def uses_name(site: Site) -> str:
    return "attribute_exists(#n)" if site.member != "ProjectionExpression" else "#n"


def value_map_cases() -> Iterator[Case]:
    for site in CONDITION_SITES:
        prefix = f"{site.prefix}/ExpressionAttributeValues"
        good = site.wrap(**{site.member: "a = :v", "ExpressionAttributeValues": {":v": N}})

        def bad(values: Any) -> Any:
            return site.wrap(**{site.member: "a = :v", "ExpressionAttributeValues": values})  # noqa: B023

        contains = "ExpressionAttributeValues contains invalid"
        unused = said(site.operation, "Value provided in ExpressionAttributeValues unused in expressions: keys: {:w}")
        yield Case(site.operation, "placeholder-unused", good, bad({":v": N, ":w": N}), f"{prefix}/:w", unused)
        words = said(site.operation, f'{contains} key: Syntax error; key: "w"')
        yield Case(site.operation, "placeholder-syntax", good, bad({":v": N, "w": N}), f"{prefix}/w", words)
        words = "The parameter cannot be converted to a numeric value: five"
        words = said(site.operation, words) if site in CONDITION_SITES[:3] else f"{contains} value: {words} for key :v"
        yield Case(site.operation, "number-finite", good, bad({":v": {"N": "five"}}), f"{prefix}/:v/N", words)
        words = f"{INVALID}Null attribute value types must have the value of true"
        words = said(site.operation, words) if site in CONDITION_SITES[:3] else f"{contains} value: {words} for key :v"
        yield Case(site.operation, "null-true", good, bad({":v": {"NULL": False}}), f"{prefix}/:v/NULL", words)
        words = f"{contains} value: Supplied AttributeValue is empty, {DATATYPES} for key :v"
        yield Case(site.operation, "attribute-value", good, bad({":v": {}}), f"{prefix}/:v", words)
        words = said(site.operation, f"{contains} value: {INVALID}An string set  may not be empty for key :v")
        yield Case(site.operation, "set-empty", good, bad({":v": {"SS": []}}), f"{prefix}/:v/SS", words)
    site = CONDITION_SITES[1]
    huge = {f":v{number}": {"S": "x" * 380_000} for number in range(6)}
    good = site.wrap(ConditionExpression="a IN (:v0)", ExpressionAttributeValues={":v0": huge[":v0"]})
    bad_request = site.wrap(ConditionExpression=f"a IN ({', '.join(huge)})", ExpressionAttributeValues=huge)
    words = "Names and values of 2280000 bytes have exceeded the maximum allowed size of 2097152"
    yield Case("UpdateItem", "substitution-size", good, bad_request, "/ExpressionAttributeValues", words)
    for site in PROJECTION_SITES:
        if site.operation not in ("Query", "Scan"):
            words = "ExpressionAttributeNames can only be specified when using expressions"
            names = {"#n": "status"}
            yield Case(
                site.operation,
                "placeholder-map",
                site.wrap(ProjectionExpression="#n", ExpressionAttributeNames=names),
                site.wrap(ExpressionAttributeNames=names),
                f"{site.prefix}/ExpressionAttributeNames",
                words,
            )
    for operation, wrap, which in (
        ("PutItem", put, "ConditionExpression is"),
        ("DeleteItem", keyed, "ConditionExpression is"),
        ("UpdateItem", keyed, "UpdateExpression and ConditionExpression are"),
        ("Scan", scan, "FilterExpression is"),
    ):
        yield Case(
            operation,
            "placeholder-map",
            wrap(),
            wrap(ExpressionAttributeValues={":v": N}),
            "/ExpressionAttributeValues",
            said(operation, f"ExpressionAttributeValues can only be specified when using expressions: {which} null"),
        )
    yield Case(
        "TransactWriteItems",
        "placeholder-map",
        transact("Put", put()),
        transact("Put", put(ConditionExpression="attribute_exists(a)", ExpressionAttributeValues={})),
        "/TransactItems/0/Put/ExpressionAttributeValues",
        "ExpressionAttributeValues must not be empty",
    )


DATATYPES = "must contain exactly one of the supported datatypes"
DEEP: dict[str, Any] = {"L": []}
for _ in range(31):
    DEEP = {"L": [DEEP]}

VALUE_FAULTS: list[tuple[str, Any, Any, str, str]] = [
    ("attribute-value", S, {}, "", f"Supplied AttributeValue is empty, {DATATYPES}"),
    ("attribute-value", S, {"T": "x"}, "", f"Supplied AttributeValue is empty, {DATATYPES}"),
    ("attribute-value", S, {"S": "x", "N": "1"}, "", f"Supplied AttributeValue has more than one datatypes set, {DATATYPES}"),
    ("number-finite", N, {"N": "NaN"}, "", "The parameter cannot be converted to a numeric value: NaN"),
    ("number-finite", N, {"N": ""}, "", "The parameter cannot be converted to a numeric value"),
    ("number-precision", {"N": "1" * 38 + "0"}, {"N": "1" * 39}, "", "Attempting to store more than 38 significant digits in a Number"),
    ("number-range", {"N": "9.9E+125"}, {"N": "1E+126"}, "", "Number overflow. Attempting to store a number with magnitude larger than supported range"),
    ("number-range", {"N": "1E-130"}, {"N": "1E-131"}, "", "Number underflow. Attempting to store a number with magnitude smaller than supported range"),
    ("null-true", {"NULL": True}, {"NULL": False}, "", f"{INVALID}Null attribute value types must have the value of true"),
    ("set-empty", {"SS": ["a"]}, {"SS": []}, "", f"{INVALID}An string set  may not be empty"),
    ("set-empty", {"NS": ["1"]}, {"NS": []}, "", f"{INVALID}An number set  may not be empty"),
    ("set-empty", {"BS": ["YQ=="]}, {"BS": []}, "", f"{INVALID}Binary sets should not be empty"),
    ("set-duplicate", {"SS": ["a", "b"]}, {"SS": ["a", "a"]}, "", f"{INVALID}Input collection [a, a] contains duplicates."),
    ("set-duplicate", {"NS": ["1", "2"]}, {"NS": ["1", "1.0"]}, "", "Input collection contains duplicates"),
    ("set-duplicate", {"BS": ["YQ==", "Yg=="]}, {"BS": ["YQ==", "YQ=="]}, "", f"{INVALID}Input collection [YQ==, YQ==]of type BS contains duplicates."),
    ("value-depth", DEEP, {"L": [DEEP]}, "/L/0" * 32 + "/L", "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"),
    ("attribute-name", {"M": {"a": S}}, {"M": {"": S}}, "/M/", f"{INVALID}An attribute name may not be empty"),
    ("attribute-name", {"M": {"a": S}}, {"M": {"a" * 65_536: S}}, f"/M/{'a' * 65_536}", f"{INVALID}Attribute name is too large"),
]  # fmt: skip

SERIALIZATION_FAULTS: list[tuple[str, Any, Any, str, str]] = [
    ("attribute-value", S, "x", "", "STRING_VALUE cannot be converted to AttributeValue"),
    ("attribute-value", S, {"S": 5}, "/S", "NUMBER_VALUE cannot be converted to String"),
    ("attribute-value", N, {"N": 5}, "/N", "NUMBER_VALUE cannot be converted to String"),
    ("attribute-value", {"BOOL": True}, {"BOOL": "true"}, "/BOOL", "STRING_VALUE cannot be converted to Boolean"),
    ("attribute-value", {"NULL": True}, {"NULL": "true"}, "/NULL", "STRING_VALUE cannot be converted to Boolean"),
    ("attribute-value", {"L": [S]}, {"L": {"S": "x"}}, "/L", "Start of structure or map found where not expected."),
    ("attribute-value", {"M": {"a": S}}, {"M": [S]}, "/M", "Start of list found where not expected"),
    ("attribute-value", {"SS": ["a"]}, {"SS": "a"}, "/SS", "STRING_VALUE cannot be converted to List"),
    ("attribute-value", {"SS": ["a"]}, {"SS": [True]}, "/SS/0", "TRUE_VALUE cannot be converted to String"),
    ("attribute-value", {"L": [S]}, {"L": [None]}, "/L/0", "NULL_VALUE cannot be converted to AttributeValue"),
    ("attribute-value", {"B": "YQ=="}, {"B": 5}, "/B", "NUMBER_VALUE cannot be converted to Blob"),
    ("binary-base64", {"B": "YQ=="}, {"B": "a"}, "/B", "'a' can not be converted to a Blob: Base64 encoded length is expected a multiple of 4 bytes but found: 1"),
    ("binary-base64", {"B": "YQ=="}, {"B": "YQ,="}, "/B", "'YQ,=' can not be converted to a Blob: Invalid Base64 character: ','"),
    ("binary-base64", {"B": "YQ=="}, {"B": "YR=="}, "/B", "'YR==' can not be converted to a Blob: Invalid last non-pad Base64 character dectected"),
    ("text-utf8", {"M": {"a": S}}, {"M": {"\ud800": S}}, "/M/\\ud800", "The text contains half a surrogate pair, which UTF-8 cannot hold"),
    ("text-utf8", S, {"S": "\ud800"}, "/S", "The text contains half a surrogate pair, which UTF-8 cannot hold"),
]  # fmt: skip


ENVELOPED_VALUES = (
    *("null-true", "number-finite", "number-precision", "number-range", "set-duplicate", "set-empty", "value-depth"),
)
"""The rules whose words PutItem wraps; it does not wrap what it says of empty values and of values of two types."""


def value_cases() -> Iterator[Case]:
    for site in ITEM_SITES:
        for code, faults in (("ValidationException", VALUE_FAULTS), ("SerializationException", SERIALIZATION_FAULTS)):
            for rule, good, bad, at, message in faults:
                # A faulty type is at the value; a faulty content is at the content.
                inner = (
                    at
                    if code == "SerializationException" or rule in ("value-depth", "attribute-name")
                    else content(bad, rule)
                )
                yield Case(
                    site.operation,
                    rule,
                    site.wrap({**KEY, "a": good}),
                    site.wrap({**KEY, "a": bad}),
                    f"{site.prefix}/a{inner}",
                    said(site.operation, message) if rule in ENVELOPED_VALUES else message,
                    code,
                )
        large = {**KEY, "a": {"S": "x" * 409_582}}
        yield Case(
            site.operation,
            "item-size",
            site.wrap(large),
            site.wrap({**large, "b": {"S": ""}}),
            site.prefix,
            "Item size has exceeded the maximum allowed size",
        )
        yield Case(
            site.operation,
            "attribute-name",
            site.wrap({**KEY, "a": S}),
            site.wrap({**KEY, "": S}),
            f"{site.prefix}/",
            f"{INVALID}An attribute name may not be empty",
        )
        yield from item_key_cases(site)


def content(value: dict[str, Any], rule: str) -> str:
    return "" if rule == "attribute-value" else f"/{next(iter(value))}"


def item_key_cases(site: Site) -> Iterator[Case]:
    def case(rule: str, item: Any, at: str, message: str) -> Case:
        return Case(site.operation, rule, site.wrap(KEY), site.wrap(item), f"{site.prefix}{at}", message)

    unlike = "The provided key element does not match the schema" if site.operation == "BatchWriteItem" else ""
    yield case("key-schema", {"PK": S}, "", unlike or f"{INVALID}Missing the key SK in the item")
    mistyped = f"{INVALID}Type mismatch for key SK expected: S actual: N"
    yield case("key-type", {**KEY, "SK": N}, "/SK", unlike or mistyped)
    yield case(
        "key-empty",
        {**KEY, "PK": {"S": ""}},
        "/PK",
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty "
        "string value. Key: PK",
    )
    yield case(
        "key-length",
        {**KEY, "PK": {"S": "x" * 2049}},
        "/PK",
        f"{INVALID}Size of hashkey has exceeded the maximum size limit of2048 bytes",
    )
    yield case(
        "key-length",
        {**KEY, "SK": {"S": "x" * 1025}},
        "/SK",
        f"{INVALID}Aggregated size of all range keys has exceeded the size limit of 1024 bytes",
    )


def key_cases() -> Iterator[Case]:
    mismatch = "The provided key element does not match the schema"
    for site in KEY_SITES:
        good = site.wrap(KEY)
        for rule, key, at, message in (
            ("key-schema", {"PK": S}, "", mismatch),
            ("key-schema", {**KEY, "a": S}, "", mismatch),
            ("key-type", {**KEY, "SK": N}, "/SK", mismatch),
            (
                "key-empty",
                {**KEY, "SK": {"S": ""}},
                "/SK",
                "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an "
                "empty string value. Key: SK",
            ),
            (
                "key-length",
                {**KEY, "SK": {"S": "x" * 1025}},
                "/SK",
                f"{INVALID}Aggregated size of all range keys has exceeded the size limit of 1024 bytes",
            ),
            ("attribute-value", {**KEY, "SK": {}}, "/SK", f"Supplied AttributeValue is empty, {DATATYPES}"),
        ):
            yield Case(site.operation, rule, good, site.wrap(key), f"{site.prefix}{at}", message)


def update_cases() -> Iterator[Case]:
    """Updates, beyond what is wrong in their text."""
    for site in UPDATE_SITES:
        pointer = f"{site.prefix}/UpdateExpression"
        yield Case(
            site.operation,
            "update-key",
            site.wrap(UpdateExpression="REMOVE a"),
            site.wrap(UpdateExpression="REMOVE SK"),
            pointer,
            f"{INVALID}Cannot update attribute SK. This attribute is part of the key",
        )
        half = {":v": {"S": "x" * 250_000}, ":w": {"S": "y" * 250_000}}
        yield Case(
            site.operation,
            "item-size",
            site.wrap(UpdateExpression="SET a = :v", ExpressionAttributeValues={":v": half[":v"]}),
            site.wrap(UpdateExpression="SET a = :v, b = :w", ExpressionAttributeValues=half),
            pointer,
            "Item size to update has exceeded the maximum allowed size",
        )


def constraint(value: str, member: str, words: str) -> str:
    return f"1 validation error detected: Value {value} at '{member}' failed to satisfy constraint: {words}"


LENGTH_LOW = "Member must have length greater than or equal to"
LENGTH_HIGH = "Member must have length less than or equal to"
PATTERN = "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"


def member_cases() -> Iterator[Case]:
    """Members that are unknown, missing, of another type, or out of bounds."""
    for operation, good, required in (
        ("PutItem", put(), "Item"),
        ("UpdateItem", keyed(), "Key"),
        ("DeleteItem", keyed(), "Key"),
        ("GetItem", keyed(), "Key"),
        ("Query", query(), "TableName"),
        ("Scan", scan(), "TableName"),
        ("BatchGetItem", batch_get(), "RequestItems"),
        ("BatchWriteItem", batch_put(KEY), "RequestItems"),
        ("TransactWriteItems", transact("Put", put()), "TransactItems"),
        ("TransactGetItems", transact("Get", keyed()), "TransactItems"),
    ):
        lower = required[0].lower() + required[1:]
        without = {name: value for name, value in good.items() if name != required}
        yield Case(operation, "member-missing", good, without, f"/{required}", constraint("null", lower, "Member must not be null"))  # fmt: skip
        wrong = "STRING_VALUE cannot be converted to "
        for value in ({**good, "ReturnConsumedCapacity": 5},):
            yield Case(operation, "member-type", good, value, "/ReturnConsumedCapacity", "NUMBER_VALUE cannot be converted to String", "SerializationException")  # fmt: skip
        yield Case(operation, "member-type", good, "text", "", f"{wrong}Map", "SerializationException")
        yield Case(
            operation,
            "member-value",
            {**good, "ReturnConsumedCapacity": "TOTAL"},
            {**good, "ReturnConsumedCapacity": "ALL"},
            "/ReturnConsumedCapacity",
            constraint("'ALL'", "returnConsumedCapacity", "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"),
        )
    yield Case(
        "GetItem",
        "member-unknown",
        keyed(ConsistentRead=True),
        keyed(Consistent=True),
        "/Consistent",
        'Unknown parameter in input: "Consistent", must be one of: TableName, Key, AttributesToGet, ConsistentRead, '
        "ReturnConsumedCapacity, ProjectionExpression, ExpressionAttributeNames",
        "ParamValidationError",
    )
    yield from table_name_cases()
    yield from return_value_cases()


def table_name_cases() -> Iterator[Case]:
    long, arn = "t" * 256, "arn:aws:dynamodb:us-east-1:111122223333:table/accounts"
    for operation, wrap in (
        ("PutItem", put),
        ("UpdateItem", keyed),
        ("DeleteItem", keyed),
        ("GetItem", keyed),
        ("Query", query),
        ("Scan", scan),
    ):
        for good, bad, words in (
            ("accounts", "", f"{LENGTH_LOW} 1"),
            (arn, long, f"{LENGTH_HIGH} 255"),
            ("acc_oun.ts-1", "acc ounts", PATTERN),
            (arn, "arn:aws:dynamodb", PATTERN),
        ):
            message = constraint(f"'{bad}'", "tableName", words)
            yield Case(operation, "table-name", wrap(TableName=good), wrap(TableName=bad), "/TableName", message)
    yield Case(
        "TransactWriteItems",
        "table-name",
        transact("Put", put(TableName="t")),
        transact("Put", put(TableName="")),
        "/TransactItems/0/Put/TableName",
        constraint("''", "transactItems.1.member.put.tableName", f"{LENGTH_LOW} 1"),
    )
    yield Case(
        "TransactGetItems",
        "table-name",
        transact("Get", keyed(TableName="t")),
        transact("Get", keyed(TableName="a b")),
        "/TransactItems/0/Get/TableName",
        constraint("'a b'", "transactItems.1.member.get.tableName", PATTERN),
    )
    for operation, rest in (("BatchGetItem", {"Keys": [KEY]}), ("BatchWriteItem", [{"DeleteRequest": {"Key": KEY}}])):
        yield Case(
            operation,
            "table-name",
            {"RequestItems": {"t": rest}},
            {"RequestItems": {"a b": rest}},
            "/RequestItems/a b",
            constraint(
                "'{a b=…}'",
                "requestItems",
                f"Map keys must satisfy constraint: [{LENGTH_HIGH} 255, {LENGTH_LOW} 1, {PATTERN}]",
            ),
        )


def return_value_cases() -> Iterator[Case]:
    for operation, wrap in (("PutItem", put), ("DeleteItem", keyed)):
        yield Case(
            operation,
            "return-values",
            wrap(ReturnValues="ALL_OLD"),
            wrap(ReturnValues="ALL_NEW"),
            "/ReturnValues",
            f"{ENVELOPE}ReturnValues can only be ALL_OLD or NONE",
        )
    yield Case(
        "UpdateItem",
        "return-values",
        keyed(ReturnValues="ALL_NEW"),
        keyed(ReturnValues="NEW"),
        "/ReturnValues",
        constraint(
            "'NEW'",
            "returnValues",
            "Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]",
        ),
    )
    yield Case(
        "TransactWriteItems",
        "return-values",
        transact("Put", put(ReturnValuesOnConditionCheckFailure="ALL_OLD")),
        transact("Put", put(ReturnValues="ALL_OLD")),
        "/TransactItems/0/Put/ReturnValues",
        'Unknown parameter in TransactItems[0].Put: "ReturnValues", must be one of: Item, TableName, '
        "ConditionExpression, ExpressionAttributeNames, ExpressionAttributeValues, ReturnValuesOnConditionCheckFailure",
        "ParamValidationError",
    )
    yield Case(
        "TransactWriteItems",
        "return-values",
        transact("Put", put(ReturnValuesOnConditionCheckFailure="NONE")),
        transact("Put", put(ReturnValuesOnConditionCheckFailure="ALL_NEW")),
        "/TransactItems/0/Put/ReturnValuesOnConditionCheckFailure",
        constraint(
            "'ALL_NEW'",
            "transactItems.1.member.put.returnValuesOnConditionCheckFailure",
            "Member must satisfy enum value set: [ALL_OLD, NONE]",
        ),
    )


def mixture(legacy: str, expressions: str) -> str:
    return (
        "Can not use both expression and non-expression parameters in the same request: "
        f"Non-expression parameters: {{{legacy}}} Expression parameters: {{{expressions}}}"
    )


def legacy_cases() -> Iterator[Case]:
    for operation, wrap, legacy, value, member, text in (
        ("PutItem", put, "Expected", {"a": {"Exists": False}}, "ConditionExpression", "attribute_exists(a)"),
        ("DeleteItem", keyed, "Expected", {"a": {"Exists": False}}, "ConditionExpression", "attribute_exists(a)"),
        ("UpdateItem", keyed, "AttributeUpdates", {"a": {"Action": "DELETE"}}, "UpdateExpression", "REMOVE a"),
        ("GetItem", keyed, "AttributesToGet", ["a"], "ProjectionExpression", "a"),
        ("Query", query, "QueryFilter", {}, "KeyConditionExpression", "PK = :pk"),
        ("Scan", scan, "ScanFilter", {}, "FilterExpression", "attribute_exists(a)"),
        ("BatchGetItem", batch_get, "AttributesToGet", ["a"], "ProjectionExpression", "a"),
    ):
        prefix = "/RequestItems/accounts" if operation == "BatchGetItem" else ""
        yield Case(
            operation,
            "legacy-mixed",
            wrap(**{member: text}),
            wrap(**{member: text, legacy: value}),
            f"{prefix}/{legacy}",
            said(operation, mixture(legacy, member)),
        )


CONDITION = {"ComparisonOperator": "EQ", "AttributeValueList": [S]}


def legacy_rule_cases() -> Iterator[Case]:
    """Each rule of legacy parameters, for each operation that has them; more of them in test_legacy_parameters."""
    unknown = f"{UNFIT_COUNT} EQ ComparisonOperator"
    for operation, wrap, member in (
        ("PutItem", put, "Expected"),
        ("UpdateItem", keyed, "Expected"),
        ("DeleteItem", keyed, "Expected"),
        ("Query", legacy_query, "QueryFilter"),
        ("Scan", scan, "ScanFilter"),
    ):
        good, two = wrap(**{member: {"a": CONDITION}}), {"a": CONDITION, "b": CONDITION}
        bad = wrap(**{member: {"a": {**CONDITION, "AttributeValueList": [S, S]}}})
        yield Case(operation, "legacy-condition", good, bad, f"/{member}/a", said(operation, unknown))
        for conditions, words in (
            ({}, "ConditionalOperator cannot be used without Filter or Expected"),
            ({"a": CONDITION}, "ConditionalOperator can only be used when Filter or Expected has two or more elements"),
        ):
            yield Case(
                operation,
                "legacy-operator",
                wrap(ConditionalOperator="OR", **{member: two}),
                wrap(ConditionalOperator="OR", **{member: conditions}),
                "/ConditionalOperator",
                said(operation, words),
            )
        if member == "Expected":
            words = f"{INVALID}Value must be provided when Exists is null for Attribute: a"
            yield Case(
                operation, "legacy-expected", good, wrap(Expected={"a": {}}), "/Expected/a", said(operation, words)
            )
    for operation, wrap in (("GetItem", keyed), ("Query", legacy_query), ("Scan", scan), ("BatchGetItem", batch_get)):
        prefix = "/RequestItems/accounts" if operation == "BatchGetItem" else ""
        yield Case(
            operation,
            "legacy-duplicate",
            wrap(AttributesToGet=["a", "b"]),
            wrap(AttributesToGet=["a", "b", "a"]),
            f"{prefix}/AttributesToGet/2",
            f"{INVALID}Duplicate value in attribute name: a",
        )
    updates: tuple[tuple[dict[str, Any], str], ...] = (
        ({}, "Only DELETE action is allowed when no attribute value is specified"),
        ({"Action": "ADD", "Value": S}, "ADD action is not supported for the type S"),
        ({"Action": "DELETE", "Value": N}, "DELETE action with value is not supported for the type N"),
    )
    for update, words in updates:
        yield Case(
            "UpdateItem",
            "legacy-update",
            keyed(AttributeUpdates={"a": {"Value": S}}),
            keyed(AttributeUpdates={"a": update}),
            "/AttributeUpdates/a",
            said("UpdateItem", f"{INVALID}{words}"),
        )
    yield Case(
        "UpdateItem",
        "update-key",
        keyed(AttributeUpdates={"a": {"Value": S}}),
        keyed(AttributeUpdates={"SK": {"Value": S}}),
        "/AttributeUpdates/SK",
        f"{INVALID}Cannot update attribute SK. This attribute is part of the key",
    )


UNFIT_COUNT = f"{INVALID}Invalid number of argument(s) for the"


def legacy_query(**members: Any) -> dict[str, Any]:
    return {"TableName": "accounts", "KeyConditions": {"PK": CONDITION}, **members}


def many(kind: str, count: int) -> list[dict[str, Any]]:
    return [{kind: {"TableName": "accounts", "Key": {**KEY, "PK": {"S": f"ACCT#{i}"}}}} for i in range(count)]


def transaction_cases() -> Iterator[Case]:
    for operation, kind in (("TransactWriteItems", "Delete"), ("TransactGetItems", "Get")):
        full = {"TransactItems": many(kind, 100)}
        for bad, shown, words in (
            ({"TransactItems": []}, "'[]'", f"{LENGTH_LOW} 1"),
            ({"TransactItems": many(kind, 101)}, "'[…]'", f"{LENGTH_HIGH} 100"),
        ):
            message = constraint(shown, "transactItems", words)
            yield Case(operation, "transaction-count", full, bad, "/TransactItems", message)
        arn = "arn:aws:dynamodb:us-east-1:111122223333:table/accounts"
        twice = [{kind: keyed()}, {kind: keyed(TableName=arn)}]
        yield Case(
            operation,
            "transaction-same-item",
            {"TransactItems": [{kind: keyed()}, {kind: keyed(Key=OTHER_KEY)}]},
            {"TransactItems": twice},
            f"/TransactItems/1/{kind}",
            "Transaction request cannot include multiple operations on one item",
        )
    one = {"Put": put()}
    for bad_entry in ({}, {"Put": put(), "Delete": keyed(Key=OTHER_KEY)}):
        yield Case(
            "TransactWriteItems",
            "transaction-action",
            {"TransactItems": [one]},
            {"TransactItems": [bad_entry]},
            "/TransactItems/0",
            "TransactItems can only contain one of Check, Put, Update or Delete",
        )
    for token, words in (("", f"{LENGTH_LOW} 1"), ("t" * 37, f"{LENGTH_HIGH} 36")):
        yield Case(
            "TransactWriteItems",
            "token-length",
            {"TransactItems": [one], "ClientRequestToken": "t" * 36},
            {"TransactItems": [one], "ClientRequestToken": token},
            "/ClientRequestToken",
            constraint(f"'{token}'", "clientRequestToken", words),
        )
    yield Case(
        "TransactWriteItems",
        "check-condition",
        transact("ConditionCheck", keyed(ConditionExpression="attribute_exists(a)")),
        transact("ConditionCheck", keyed()),
        "/TransactItems/0/ConditionCheck/ConditionExpression",
        constraint("null", "transactItems.1.member.conditionCheck.conditionExpression", "Member must not be null"),
    )
    yield Case(
        "TransactWriteItems",
        "update-empty",
        transact("Update", keyed(UpdateExpression="REMOVE a")),
        transact("Update", keyed()),
        "/TransactItems/0/Update/UpdateExpression",
        constraint("null", "transactItems.1.member.update.updateExpression", "Member must not be null"),
    )
    large = [{"Put": put(Item={**KEY, "PK": {"S": f"{i:02}"}, "a": {"S": "x" * 400_000}})} for i in range(11)]
    yield Case(
        "TransactWriteItems",
        "transaction-size",
        {"TransactItems": large[:10]},
        {"TransactItems": large},
        "/TransactItems",
        "The transaction's items of 4400154 bytes exceed 4194304 bytes",
    )


def batch_cases() -> Iterator[Case]:
    def deletes(count: int) -> list[Any]:
        return [{"DeleteRequest": {"Key": entry["Delete"]["Key"]}} for entry in many("Delete", count)]

    def keys(count: int) -> dict[str, Any]:
        return {"Keys": [entry["Get"]["Key"] for entry in many("Get", count)]}

    for operation, full, over, low, split in (
        ("BatchWriteItem", deletes(25), deletes(26), [], deletes(13)),
        ("BatchGetItem", keys(100), keys(101), {"Keys": []}, keys(51)),
    ):
        limit = 25 if operation == "BatchWriteItem" else 100
        good = {"RequestItems": {"accounts": full}}
        at = "" if operation == "BatchWriteItem" else "/Keys"
        for bad, shown, words in ((over, "[…]", f"{LENGTH_HIGH} {limit}"), (low, "[]", f"{LENGTH_LOW} 1")):
            request: dict[str, Any] = {"RequestItems": {"accounts": bad}}
            message = f"{ENVELOPE}Value at 'RequestItems.accounts.member.Keys' failed to satisfy constraint: {words}"
            if operation == "BatchWriteItem":
                words = f"Map value must satisfy constraint: [{LENGTH_HIGH} 25, {LENGTH_LOW} 1]"
                message = constraint(f"'{{accounts={shown}}}'", "requestItems", words)
            yield Case(operation, "batch-count", good, request, f"/RequestItems/accounts{at}", message)
        yield Case(
            operation,
            "batch-count",
            good,
            {"RequestItems": {"accounts": split, "others": split}},
            "/RequestItems",
            f"Too many items requested for the {operation} call",
        )
        yield Case(
            operation,
            "batch-count",
            good,
            {"RequestItems": {}},
            "/RequestItems",
            f"The requestItems parameter is required for {operation}",
        )
    duplicates = "Provided list of item keys contains duplicates"
    delete, other = {"DeleteRequest": {"Key": KEY}}, {"DeleteRequest": {"Key": OTHER_KEY}}
    replace = {"PutRequest": {"Item": {**KEY, "a": N}}}
    yield Case(
        "BatchWriteItem",
        "batch-same-item",
        {"RequestItems": {"accounts": [delete, other]}},
        {"RequestItems": {"accounts": [delete, replace]}},
        "/RequestItems/accounts/1",
        duplicates,
    )
    yield Case(
        "BatchGetItem",
        "batch-same-item",
        batch_get(Keys=[KEY, OTHER_KEY]),
        batch_get(Keys=[KEY, KEY]),
        "/RequestItems/accounts/Keys/1",
        duplicates,
    )
    for bad_entry in ({}, {**delete, "PutRequest": {"Item": OTHER_KEY}}):
        yield Case(
            "BatchWriteItem",
            "batch-action",
            {"RequestItems": {"accounts": [delete]}},
            {"RequestItems": {"accounts": [bad_entry]}},
            "/RequestItems/accounts/0",
            f"Supplied AttributeValue has more than one datatypes set, {DATATYPES}",
        )


KEY_CONDITION_FAULTS = [
    ("PK = :pk AND SK > :v", "PK = :pk OR SK = :v", "Invalid operator used in KeyConditionExpression: OR"),
    ("PK = :pk AND SK = :v", "PK = :pk AND NOT SK = :v", "Invalid operator used in KeyConditionExpression: NOT"),
    ("PK = :pk AND SK < :v", "PK = :pk AND SK <> :v", "Invalid operator used in KeyConditionExpression: <>"),
    ("PK = :pk AND SK = :v", "PK = :pk AND SK IN (:v)", "Invalid operator used in KeyConditionExpression: IN"),
    ("PK = :pk AND begins_with(SK, :v)", "PK = :pk AND contains(SK, :v)", "Invalid operator used in KeyConditionExpression: contains"),
    ("PK = :pk AND SK BETWEEN :v AND :v", "PK = :pk AND size(SK) = :v", "KeyConditionExpressions cannot contain nested operations"),
    ("PK = :pk AND SK <= :v", "PK = :pk AND SK.a = :v", "KeyConditionExpressions cannot have conditions on nested attributes"),
    ("PK = :pk AND SK >= :v", "PK = :pk AND SK > a AND SK < :v", "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition"),
    ("PK = :pk AND SK = :v", "PK = :pk AND :v = :pk", "Invalid condition in KeyConditionExpression: No key attribute specified"),
    ("PK = :pk AND SK BETWEEN :v AND :v", "PK = :pk AND SK > :v AND SK < :v", "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key"),
    ("PK = :pk AND SK = :v", "SK = :pk AND SK = :v", "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key"),
    ("PK = :pk AND SK = :v", "SK = :v AND a = :pk", "Query condition missed key schema element: PK"),
    ("PK = :pk AND SK = :v", "PK = :pk AND a = :v", "Query condition missed key schema element: SK"),
    ("PK = :pk AND SK > :v", "PK > :pk AND SK = :v", "Query key condition not supported"),
    ("PK = :pk AND SK > :v", "PK = :pk AND SK = :v AND a = :v", "The number of query conditions (3) exceeds the number of key attributes defined in the schema (2)"),
]  # fmt: skip


def query_cases() -> Iterator[Case]:
    for good, bad, message in KEY_CONDITION_FAULTS:
        values = {":v": S}
        yield Case(
            "Query",
            "key-condition",
            query(KeyConditionExpression=good, ExpressionAttributeValues=values),
            query(KeyConditionExpression=bad, ExpressionAttributeValues=values),
            "/KeyConditionExpression",
            message,
        )
    yield Case(
        "Query",
        "key-condition",
        query(),
        {"TableName": "accounts"},
        "",
        "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.",
    )
    yield Case(
        "Query",
        "filter-key",
        query(FilterExpression="attribute_exists(a)"),
        query(FilterExpression="attribute_exists(SK)"),
        "/FilterExpression",
        "Filter Expression can only contain non-primary key attributes: Primary key attribute: SK",
    )
    on_index = query(IndexName="ByEmail", KeyConditionExpression="email = :pk")
    yield Case(
        "Query",
        "index-consistent",
        query(IndexName="ByDate", ConsistentRead=True),
        {**on_index, "ConsistentRead": True},
        "/ConsistentRead",
        "Consistent reads are not supported on global secondary indexes",
    )
    yield Case(
        "Query",
        "index-unknown",
        on_index,
        query(IndexName="ByName"),
        "/IndexName",
        "The table does not have the specified index: ByName",
    )
    yield Case(
        "Query",
        "key-condition",
        on_index,
        query(IndexName="ByEmail"),
        "/KeyConditionExpression",
        "Query condition missed key schema element: email",
    )


def search_cases() -> Iterator[Case]:
    """What queries and scans have in common."""
    for operation, wrap in (("Query", query), ("Scan", scan)):
        low = constraint("'0'", "limit", "Member must have value greater than or equal to 1")
        if operation == "Query":
            low = f"{ENVELOPE}Value at 'Limit' failed to satisfy constraint: Member must have value greater than or equal to 1"
        yield Case(operation, "limit-value", wrap(Limit=1), wrap(Limit=0), "/Limit", low)
        not_whole = "TRUE_VALUE cannot be converted to Integer"
        yield Case(operation, "member-type", wrap(Limit=1), wrap(Limit=True), "/Limit", not_whole, "SerializationException")  # fmt: skip
        short = constraint("'ab'", "indexName", f"{LENGTH_LOW} 3")
        if operation == "Scan":
            yield Case(operation, "member-value", wrap(IndexName="ByDate"), wrap(TableName="t", IndexName="ab"), "/IndexName", short)  # fmt: skip
        projected = {"ProjectionExpression": "a"}
        for good, bad, message in (
            (
                {"Select": "SPECIFIC_ATTRIBUTES", **projected},
                {"Select": "ALL_ATTRIBUTES", **projected},
                "Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES",
            ),
            (
                projected,
                {"Select": "COUNT", **projected},
                "Cannot specify the ProjectionExpression when choosing to get only the Count",
            ),
            (
                {"Select": "COUNT"},
                {"Select": "SPECIFIC_ATTRIBUTES"},
                "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES",
            ),
        ):
            message = f"{ENVELOPE}{message}" if operation == "Query" else message
            yield Case(operation, "select-projection", wrap(**good), wrap(**bad), "/Select", message)
        yield Case(
            operation,
            "select-value",
            wrap(IndexName="ByDate", Select="ALL_PROJECTED_ATTRIBUTES"),
            wrap(Select="ALL_PROJECTED_ATTRIBUTES"),
            "/Select",
            f"{ENVELOPE if operation == 'Query' else ''}ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an "
            "IndexName",
        )
        yield Case(
            operation,
            "select-value",
            wrap(Select="ALL_ATTRIBUTES"),
            wrap(Select="ALL"),
            "/Select",
            constraint(
                "'ALL'",
                "select",
                "Member must satisfy enum value set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, "
                "ALL_PROJECTED_ATTRIBUTES]",
            ),
        )
        yield Case(
            operation,
            "attribute-value",
            wrap(ExclusiveStartKey=KEY),
            wrap(ExclusiveStartKey={**KEY, "PK": {}}),
            "/ExclusiveStartKey/PK",
            f"The provided starting key is invalid: Supplied AttributeValue is empty, {DATATYPES}",
        )
    yield Case(
        "Scan",
        "index-consistent",
        scan(IndexName="ByDate", ConsistentRead=True),
        scan(IndexName="ByEmail", ConsistentRead=True),
        "/ConsistentRead",
        "Consistent reads are not supported on global secondary indexes",
    )
    yield from segment_cases()


def segment_cases() -> Iterator[Case]:
    good = scan(Segment=0, TotalSegments=4)
    for bad, at, message in (
        (
            scan(Segment=4, TotalSegments=4),
            "/Segment",
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 4 is not less "
            "than TotalSegments: 4",
        ),
        (
            scan(Segment=0),
            "/Segment",
            "The TotalSegments parameter is required but was not present in the request when Segment parameter is "
            "present",
        ),
        (
            scan(TotalSegments=4),
            "/TotalSegments",
            "The Segment parameter is required but was not present in the request when parameter TotalSegments is "
            "present",
        ),
        (
            scan(Segment=-1, TotalSegments=4),
            "/Segment",
            constraint("'-1'", "segment", "Member must have value greater than or equal to 0"),
        ),
        (
            scan(Segment=0, TotalSegments=1_000_001),
            "/TotalSegments",
            constraint("'1000001'", "totalSegments", "Member must have value less than or equal to 1000000"),
        ),
    ):
        yield Case("Scan", "scan-segment", good, bad, at, message)


def declared_cases() -> Iterator[Case]:
    """What is known only of declared tables and indexes."""
    good: Any
    bad: Any
    value: Any
    mismatch = f"{INVALID}Type mismatch for Index Key email Expected: S Actual: N IndexName: ByEmail"
    empty = "The AttributeValue for a key attribute cannot contain an empty string value."
    not_valid = "One or more parameter values are not valid. "
    put_empty = f"{not_valid}A value specified for a secondary index key is not supported. {empty} IndexName: ByEmail, IndexKey: email"
    set_empty = f"{not_valid}The update expression attempted to update a secondary index key to a value that is not supported. {empty}"
    too_long = f"{INVALID}Size limit exceeded for Index Key email Actual Size: 2049 bytes Max Size: 2048 bytes IndexName: ByEmail"
    set_long = "The update expression attempted to update the secondary index key beyond allowed size limits"
    for rule, value, put_words, set_words in (
        ("index-key-type", N, mismatch, mismatch),
        ("index-key-empty", {"S": ""}, put_empty, set_empty),
        ("index-key-length", {"S": "x" * 2049}, too_long, set_long),
    ):
        good, bad = {**KEY, "email": S}, {**KEY, "email": value}
        yield Case("PutItem", rule, put(Item=good), put(Item=bad), "/Item/email", put_words)
        yield Case(
            "TransactWriteItems",
            rule,
            transact("Put", put(Item=good)),
            transact("Put", put(Item=bad)),
            "/TransactItems/0/Put/Item/email",
            put_words,
        )
        yield Case(
            "BatchWriteItem",
            rule,
            batch_put(good),
            batch_put(bad),
            "/RequestItems/accounts/0/PutRequest/Item/email",
            put_words,
        )
        setting = {"UpdateExpression": "SET email = :v"}
        good = keyed(**setting, ExpressionAttributeValues={":v": S})
        bad = keyed(**setting, ExpressionAttributeValues={":v": value})
        yield Case("UpdateItem", rule, good, bad, "/UpdateExpression", set_words)
        yield Case(
            "TransactWriteItems",
            rule,
            transact("Update", good),
            transact("Update", bad),
            "/TransactItems/0/Update/UpdateExpression",
            set_words,
        )
    scalars = "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "
    projections: list[tuple[str, Any, str]] = [
        ("GetItem", keyed, ""),
        ("TransactGetItems", lambda **members: transact("Get", keyed(**members)), "/TransactItems/0/Get"),
        ("BatchGetItem", batch_get, "/RequestItems/accounts"),
        ("Query", query, ""),
        ("Scan", scan, ""),
    ]
    for operation, wrap, at in projections:
        for path, key in (("PK.a", "Key: PK"), ("email[0]", "IndexKey: email")):
            good, bad = wrap(ProjectionExpression="PK, email"), wrap(ProjectionExpression=path)
            yield Case(operation, "key-path", good, bad, f"{at}/ProjectionExpression", scalars + key)
    good, bad = keyed(UpdateExpression="SET a = email"), keyed(UpdateExpression="SET a = email.b")
    yield Case("UpdateItem", "key-path", good, bad, "/UpdateExpression", f"{scalars}IndexKey: email")
    yield Case(
        "TransactWriteItems",
        "key-path",
        transact("Update", good),
        transact("Update", bad),
        "/TransactItems/0/Update/UpdateExpression",
        f"{scalars}IndexKey: email",
    )
    for operation, wrap in (("Query", query), ("Scan", scan)):
        good, bad = wrap(FilterExpression="attribute_exists(email)"), wrap(FilterExpression="attribute_exists(email.a)")
        yield Case(operation, "key-path", good, bad, "/FilterExpression", f"{scalars}IndexKey: email")
    yield from start_key_cases()
    on_index = query(IndexName="ByKeys", KeyConditionExpression="slug = :pk")
    all_attributes = f"{INVALID}Select type ALL_ATTRIBUTES is not supported for global secondary index ByKeys because its projection type is not ALL"
    for operation, body in (("Query", on_index), ("Scan", scan(IndexName="ByKeys"))):
        good, bad = {**body, "Select": "ALL_PROJECTED_ATTRIBUTES"}, {**body, "Select": "ALL_ATTRIBUTES"}
        yield Case(operation, "index-projection", good, bad, "/IndexName", all_attributes)
        good, bad = {**body, "ProjectionExpression": "slug, PK"}, {**body, "ProjectionExpression": "a, b"}
        yield Case(
            operation,
            "index-projection",
            good,
            bad,
            "/IndexName",
            f"{INVALID}Global secondary index ByKeys does not project [a, b]",
        )
    good, bad = (
        {**on_index, "FilterExpression": "attribute_exists(PK)"},
        {**on_index, "FilterExpression": "attribute_exists(a)"},
    )
    words = f"{INVALID}Secondary index ByKeys does not project one or more filter attributes: [a]"
    yield Case("Query", "index-projection", good, bad, "/IndexName", words)
    for bad, rule, words in (
        (N, "key-type", f"{INVALID}Condition parameter type does not match schema type"),
        ({"S": ""}, "key-empty", f"{not_valid}{empty} Key: PK"),
        ({"S": "x" * 2049}, "key-length", f"{INVALID}Size of hashkey has exceeded the maximum size limit of2048 bytes"),
    ):
        yield Case(
            "Query", rule, query(), query(ExpressionAttributeValues={":pk": bad}), "/KeyConditionExpression", words
        )
    arns = [
        f"arn:aws:dynamodb:{region}:{account}:table/accounts"
        for region, account in (("eu-west-1", 1), ("us-east-1", 1), ("eu-west-1", 2))
    ]
    for kind, operation in (("Get", "TransactGetItems"), ("Delete", "TransactWriteItems")):
        for other in arns[1:]:
            good, bad = (
                {"TransactItems": [{kind: keyed(TableName=arns[0])}, {kind: keyed(TableName=table, Key=OTHER_KEY)}]}
                for table in (arns[0], other)
            )
            yield Case(
                operation,
                "transaction-region",
                good,
                bad,
                f"/TransactItems/1/{kind}/TableName",
                "All tables of a transaction must be in one Region and one account",
            )


def start_key_cases() -> Iterator[Case]:
    good: Any
    bad: Any
    invalid = "The provided starting key is invalid"
    unlike = f"{invalid}: The provided key element does not match the schema"
    on_index = query(IndexName="ByKeys", KeyConditionExpression="slug = :pk")
    for operation, body, good, words in (
        ("Query", query(), KEY, invalid),
        ("Scan", scan(), KEY, unlike),
        ("Query", on_index, {**KEY, "slug": KEY["PK"]}, invalid),
        ("Scan", scan(IndexName="ByKeys"), {**KEY, "slug": S}, invalid),
    ):
        for bad in ({}, {"PK": KEY["PK"]}, {**good, "a": S}, {**good, "SK": N}):
            yield Case(
                operation,
                "start-key",
                {**body, "ExclusiveStartKey": good},
                {**body, "ExclusiveStartKey": bad},
                "/ExclusiveStartKey",
                words,
            )
    empty = f"{invalid}: One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: SK"
    yield Case(
        "Query",
        "start-key",
        query(ExclusiveStartKey=KEY),
        query(ExclusiveStartKey={**KEY, "SK": {"S": ""}}),
        "/ExclusiveStartKey",
        empty,
    )
    outside = "The provided starting key is outside query boundaries based on provided conditions"
    yield Case(
        "Query",
        "start-key-range",
        query(ExclusiveStartKey=KEY),
        query(ExclusiveStartKey=OTHER_KEY),
        "/ExclusiveStartKey",
        outside,
    )
    ranged = query(KeyConditionExpression="PK = :pk AND SK > :v", ExpressionAttributeValues={":v": {"S": "P"}})
    good, bad = {**ranged, "ExclusiveStartKey": KEY}, {**ranged, "ExclusiveStartKey": {**KEY, "SK": {"S": "O"}}}
    yield Case(
        "Query",
        "start-key-range",
        good,
        bad,
        "/ExclusiveStartKey",
        "The provided starting key does not match the range key predicate",
    )


CASES: list[Case] = [
    *member_cases(),
    *transaction_cases(),
    *batch_cases(),
    *value_cases(),
    *key_cases(),
    *placeholder_cases(),
    *legacy_cases(),
    *legacy_rule_cases(),
    *expression_cases(CONDITION_SITES, CONDITION_FAULTS),
    *expression_cases(UPDATE_SITES, UPDATE_FAULTS),
    *update_cases(),
    *expression_cases(PROJECTION_SITES, PROJECTION_FAULTS),
    *query_cases(),
    *search_cases(),
    *declared_cases(),
]
"""All cases."""
