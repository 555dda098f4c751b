"""The service's limits, each with its source.

Sources: [Constraints] https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html,
[Query] https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Query.html,
[Scan] https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Scan.html,
[TransactWriteItems] https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html,
[Operators] https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html,
[Sizes] https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html.
"""

from __future__ import annotations

MAX_TRANSACTION_ACTIONS = 100
"""Actions in one TransactWriteItems or TransactGetItems. [TransactWriteItems]"""

MAX_TRANSACTION_BYTES = 4 * 1024 * 1024
"""All items of one transaction together. [TransactWriteItems]"""

MAX_TOKEN_LENGTH = 36
"""Characters in a ClientRequestToken. [TransactWriteItems]"""

MAX_ITEM_BYTES = 400 * 1024
"""One item, attribute names included. [Constraints]"""

MAX_EXPRESSION_BYTES = 4096
"""One expression's text, in UTF-8. [Constraints]"""

MAX_OPERATORS = 300
"""Operators and functions in one expression. [Constraints]"""

MAX_IN_OPERANDS = 100
"""Values that IN compares with. [Operators]"""

MAX_PLACEHOLDER_BYTES = 255
"""One ``#name`` or ``:value`` placeholder. [Constraints]"""

MAX_SUBSTITUTION_BYTES = 2 * 1024 * 1024
"""All substitution variables (names and values) of one expression. [Constraints]"""

MAX_DEPTH = 32
"""Nested lists and maps in a value, or dereferences in a document path. [Constraints]"""

MAX_LIST_INDEX = 4_294_967_294
"""The highest index in a document path: as the service answers, it is documented nowhere."""

MAX_ATTRIBUTE_NAME_BYTES = 65535
"""An attribute name that is not a key. [Constraints]"""

MAX_KEY_NAME_BYTES = 255
"""The name of a key attribute. [Constraints]"""

MAX_TABLE_KEYS = 2
"""Attributes in the primary key of a table. [Constraints]"""

MAX_INDEX_KEYS = 4
"""Attributes in each of the two keys of a global secondary index. [Constraints]"""

MAX_PARTITION_KEY_BYTES = 2048
"""A partition key's value. [Constraints]"""

MAX_SORT_KEY_BYTES = 1024
"""A sort key's value. [Constraints]"""

MAX_NUMBER_DIGITS = 38
"""Significant digits of a number, trailing zeros dropped. [Constraints]"""

MAX_NUMBER_EXPONENT = 125
"""A number's size is below 10 to the power of this plus one. [Constraints]"""

MIN_NUMBER_EXPONENT = -130
"""A number's size, unless it is zero, is at least 10 to the power of this. [Constraints]"""

MAX_TABLE_NAME_LENGTH = 255
"""Characters in a table name. [Constraints]"""

MAX_TABLE_ARN_LENGTH = 1024
"""Characters in a table name given as an ARN. [TransactWriteItems]"""

MIN_INDEX_NAME_LENGTH = 3
"""Characters in the name of a secondary index, at least. [Query]"""

MAX_INDEX_NAME_LENGTH = 255
"""Characters in the name of a secondary index, at most. [Query]"""

MAX_LIMIT = 2**31 - 1
"""Items that one page may be limited to: ``Limit`` is a 32-bit integer. [Query]"""

MAX_SCAN_SEGMENTS = 1_000_000
"""Segments of one scan. [Scan]"""

MAX_BATCH_WRITE = 25
"""Puts and deletes in one BatchWriteItem. [Constraints]"""

MAX_BATCH_GET = 100
"""Keys in one BatchGetItem. [Constraints]"""

WRITE_UNIT_BYTES = 1024
"""One write unit is a write of up to this size; a transaction uses two for each. [Sizes]"""

READ_UNIT_BYTES = 4096
"""One read unit is a strongly consistent read of up to this size; a transaction uses two for each. [Sizes]"""

CONTAINER_OVERHEAD_BYTES = 3
"""What a list or map adds to the size of its contents. [Sizes]"""

ELEMENT_OVERHEAD_BYTES = 1
"""What each element of a list, or each entry of a map, adds. [Sizes]"""
