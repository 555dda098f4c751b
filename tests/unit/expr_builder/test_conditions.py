"""Conditions: what each fluent call renders, what each refuses, and that rendering keeps the meaning."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from expr_builder import Attr, BuildError, Condition, Key, Table, all_of, any_of, parse_update
from expr_builder.expressions.nodes import Path, list_children
from expr_builder.expressions.render import Placeholders, count_operators, render

if TYPE_CHECKING:
    from expr_builder.expressions.nodes import Node

a, b, c = Attr("a"), Attr("b"), Attr("c")


def rendered(condition: Condition) -> tuple[str, dict[str, str], dict[str, Any]]:
    placeholders = Placeholders()
    text = render(condition, placeholders)
    return text, placeholders.names, placeholders.values


def text_of(condition: Condition) -> str:
    return rendered(condition)[0]


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (a == 1, "a = :v0"),
        (a != 1, "a <> :v0"),
        (a < 1, "a < :v0"),
        (a <= 1, "a <= :v0"),
        (a > 1, "a > :v0"),
        (a >= 1, "a >= :v0"),
        (a.eq(b), "a = b"),
        (a.ne("x"), "a <> :v0"),
        (a.lt(b["c"][0]), "a < b.c[0]"),
        (a.between(1, 2), "a BETWEEN :v0 AND :v1"),
        (a.between(b, c), "a BETWEEN b AND c"),
        (a.is_in([1, b]), "a IN (:v0, b)"),
        (a.begins_with("x"), "begins_with(a, :v0)"),
        (a.begins_with(b), "begins_with(a, b)"),
        (a.contains("x"), "contains(a, :v0)"),
        (a.exists(), "attribute_exists(a)"),
        (a.not_exists(), "attribute_not_exists(a)"),
        (a.attribute_type("SS"), "attribute_type(a, :v0)"),
        (a.size() > 3, "size(a) > :v0"),
        (a.size().between(1, 2), "size(a) BETWEEN :v0 AND :v1"),
        (a.size().is_in([1]), "size(a) IN (:v0)"),
        (a.size().ne(b.size()), "size(a) <> size(b)"),
        (a.exists_and_ne("x"), "attribute_exists(a) AND a <> :v0"),
        ((a == 1) & (b == 2), "a = :v0 AND b = :v1"),
        ((a == 1) | (b == 2), "a = :v0 OR b = :v1"),
        (~(a == 1), "NOT a = :v0"),
        (~((a == 1) & (b == 2)), "NOT (a = :v0 AND b = :v1)"),
        (~~(a == 1), "a = :v0"),
        (all_of(a.exists(), None, b.exists()), "attribute_exists(a) AND attribute_exists(b)"),
        (any_of(None, a.exists()), "attribute_exists(a)"),
        (Key("PK").eq("x") & Key("SK").begins_with("y"), "PK = :v0 AND begins_with(SK, :v1)"),
        ((Key("PK") == "x") & Key("SK").between(1, 2), "PK = :v0 AND SK BETWEEN :v1 AND :v2"),
    ],
)
def test_each_call_renders_its_expression(condition: Condition, text: str) -> None:
    assert text_of(condition) == text


@pytest.mark.parametrize("operator", ["lt", "lte", "gt", "gte"])
def test_keys_order_like_attributes(operator: str) -> None:
    assert getattr(Key("SK"), operator)(5) == getattr(Attr("SK"), operator)(5)


def test_operators_of_keys_are_their_methods() -> None:
    key, attr = Key("SK"), Attr("SK")
    assert [key < 1, key <= 1, key > 1, key >= 1] == [attr < 1, attr <= 1, attr > 1, attr >= 1]


def test_values_are_typed_where_they_are_given() -> None:
    assert rendered((a == Decimal("1.50")) & b.contains(b"x")) == (
        "a = :v0 AND contains(b, :v1)",
        {},
        {":v0": {"N": "1.5"}, ":v1": {"B": b"x"}},
    )


def test_parentheses_are_the_fewest_that_keep_the_meaning() -> None:
    x, y, z = a.exists(), b.exists(), c.exists()
    wrote = {
        x & (y | z): "attribute_exists(a) AND (attribute_exists(b) OR attribute_exists(c))",
        x | (y & z): "attribute_exists(a) OR attribute_exists(b) AND attribute_exists(c)",
        (x & y) & z: "attribute_exists(a) AND attribute_exists(b) AND attribute_exists(c)",
        x & (y & z): "attribute_exists(a) AND attribute_exists(b) AND attribute_exists(c)",
        x | (y | z): "attribute_exists(a) OR attribute_exists(b) OR attribute_exists(c)",
        ~(x | y) & z: "NOT (attribute_exists(a) OR attribute_exists(b)) AND attribute_exists(c)",
    }
    assert {condition: text_of(condition) for condition in wrote} == wrote


def test_conditions_compare_by_structure() -> None:
    assert (a == 1) & (b == 2) == (Attr("a") == 1) & (Attr("b") == 2)
    assert (a == 1) != (a == 2)
    assert (a == 1) != "a = 1"
    assert hash(a.size() < 1) == hash(Attr("a").size() < 1)
    assert Key("a").eq(1) == a.eq(1)


def test_reprs_show_no_values() -> None:
    assert repr((a == "secret") & ~b.size().lt(5)) == "Condition(a = <S> AND NOT size(b) < <N>)"
    assert repr(a["x"].is_in(["secret", {"s"}]) | a.begins_with(b"secret")) == (
        "Condition(a.x IN (<S>, <SS>) OR begins_with(a, <B>))"
    )
    assert repr(a.size()) == "Operand(size(a))"
    assert repr(a.if_not_exists("secret")) == "UpdateValue(if_not_exists(a, <S>))"
    assert repr(parse_update("SET a = a - 5, b = 'secret' REMOVE c ADD d 5")) == (
        "(UpdateAction(SET a = a - <N>), UpdateAction(SET b = <S>), UpdateAction(REMOVE c), UpdateAction(ADD d <N>))"
    )


@pytest.mark.parametrize(
    ("node", "children"),
    [
        (a.between(b, 5), "Attr('a') Attr('b') <N>"),
        (a.is_in([b, "x"]), "Attr('a') Attr('b') <S>"),
        (a == 1, "Attr('a') <N>"),
        (a.contains("x"), "Attr('a') <S>"),
        (a - 5, "Attr('a') <N>"),
        (a.if_not_exists(b), "Attr('a') Attr('b')"),
        (a.exists() & ~b.exists(), "Condition(attribute_exists(a)) Condition(NOT attribute_exists(b))"),
    ],
)
def test_what_is_below_a_node_comes_in_the_order_in_which_it_is_written(node: Node, children: str) -> None:
    assert " ".join(map(repr, list_children(node))) == children


def test_a_condition_has_no_truth_value() -> None:
    with pytest.raises(TypeError, match=r"write & \| ~"):
        bool(a == 1)
    with pytest.raises(TypeError, match="between"):
        1 < a < 5  # noqa: B015
    with pytest.raises(TypeError, match="compare it"):
        bool(a)
    with pytest.raises(TypeError, match="compare it"):
        bool(a.size())
    with pytest.raises(TypeError, match="cannot be looped over"):
        list(a)
    with pytest.raises(TypeError, match="contains"):
        1 in a  # noqa: B015


def refusal(make: Any) -> tuple[str, str]:
    with pytest.raises(BuildError) as caught:
        make()
    return caught.value.rule, caught.value.place


@pytest.mark.parametrize(
    ("make", "rule", "place"),
    [
        (lambda: a.eq(float("nan")), "number-finite", "a"),
        (lambda: a["b"].eq([{1, "x"}]), "set-mixed", "a.b[0]"),
        (lambda: a.eq(a), "operand-distinct", "a"),
        (lambda: a.size().eq(a.size()), "operand-distinct", "size(a)"),
        (lambda: a.contains(a), "operand-distinct", "a"),
        (lambda: a.contains({"x"}), "operand-type", "a"),
        (lambda: a.begins_with(5), "operand-type", "a"),
        (lambda: a.size().lt("5"), "operand-type", "size(a)"),
        (lambda: a.attribute_type("STRING"), "attribute-type", "a"),
        (lambda: a.is_in("abc"), "in-choices", "a"),
        (lambda: a.is_in(b"abc"), "in-choices", "a"),
        (lambda: a.is_in(5), "in-choices", "a"),  # type: ignore[arg-type]
        (lambda: a.is_in([]), "in-choices", "a"),
        (lambda: a.is_in(range(101)), "in-choices", "a"),
        (lambda: a.between(5, "x"), "between-types", "a"),
        (lambda: a.between(5, 4), "between-order", "a"),
        (lambda: a.eq(b == 1), "condition-operand", "a"),
        (lambda: a.eq(b + 1), "condition-operand", "a"),
        (lambda: (a == 1) & b, "condition-operand", ""),  # type: ignore[operator]
        (lambda: (a == 1) | "b = 1", "condition-operand", ""),  # type: ignore[operator]
        (all_of, "condition-empty", ""),
        (lambda: any_of(None), "condition-empty", ""),
    ],
)
def test_what_dynamodb_would_refuse_is_refused_with_its_place(make: Any, rule: str, place: str) -> None:
    assert refusal(make) == (rule, place)


def test_not_equal_is_true_of_a_missing_attribute_so_there_is_a_stricter_form() -> None:
    assert text_of(Attr("status").exists_and_ne("deleted")) == "attribute_exists(#n0) AND #n0 <> :v0"
    assert "missing" in (Attr.ne.__doc__ or "")


def test_in_takes_1_to_100_operands() -> None:
    assert text_of(a.is_in(range(100))).count(":v") == 100
    assert refusal(lambda: a.is_in(range(163))) == ("in-choices", "a")


def test_a_set_of_choices_is_written_in_one_order_in_every_process() -> None:
    assert rendered(a.is_in({"z", "x", "y"}))[2] == {":v0": {"S": "x"}, ":v1": {"S": "y"}, ":v2": {"S": "z"}}


@pytest.mark.parametrize(("low", "high"), [(5, 4), ("b", "a"), (b"b", b"a"), (Decimal("1E2"), 99), ("é", "z")])
def test_swapped_bounds_are_refused_never_swapped_back(low: Any, high: Any) -> None:
    assert refusal(lambda: a.between(low, high))[0] == "between-order"


@pytest.mark.parametrize("value", [True, None, [1], {"k": 1}, {"x"}])
@pytest.mark.parametrize("method", ["lt", "lte", "gt", "gte"])
def test_only_text_numbers_and_bytes_have_an_order(method: str, value: Any) -> None:
    assert refusal(lambda: getattr(a, method)(value)) == ("operand-type", "a")
    assert refusal(lambda: a.between(value, value)) == ("operand-type", "a")
    assert text_of(a.eq(value)) == "a = :v0"
    assert text_of(a.ne(value)) == "a <> :v0"


def test_contains_takes_one_element_of_its_own_type() -> None:
    assert rendered(Attr("ids").contains(7)) == ("contains(ids, :v0)", {}, {":v0": {"N": "7"}})
    assert refusal(lambda: Attr("tags").contains({"a"})) == ("operand-type", "tags")


def test_a_path_alone_is_no_condition_and_the_fix_says_what_to_ask_of_it() -> None:
    makes: list[Any] = [
        lambda: all_of(Attr("a"), Attr("b") == 1),  # type: ignore[arg-type]
        lambda: Table("t", "PK").put({"PK": "1"}).when(Attr("a")),  # type: ignore[arg-type]
    ]
    for make in makes:
        with pytest.raises(BuildError) as caught:
            make()
        assert caught.value.message == "a Attr is not a condition"
        assert caught.value.fix == "compare it, as in Attr('a') == 1, or ask Attr('a').exists()"


def test_size_is_an_operand_not_a_condition() -> None:
    assert text_of(Attr("attendance").size() < Attr("info")["maximum"]) == "size(attendance) < info.maximum"
    table = Table("t", "PK")
    with pytest.raises(BuildError, match="a SizeOf is not a condition") as caught:
        table.delete({"PK": "1"}).when(Attr("a").size())  # type: ignore[arg-type]
    assert "compare it" in caught.value.fix


def test_an_expression_has_at_most_300_operators() -> None:
    fits = all_of(*(Attr(f"a{n}").exists() for n in range(150)))
    assert count_operators(fits) == 299
    assert text_of(fits).count("AND") == 149
    with pytest.raises(BuildError) as caught:
        text_of(all_of(*(Attr(f"a{n}").exists() for n in range(151))))
    assert (caught.value.rule, caught.value.message) == (
        "expression-operators",
        "an expression of 301 operators and functions, 300 are allowed",
    )


def test_an_expression_has_at_most_4096_bytes() -> None:
    with pytest.raises(BuildError) as caught:
        text_of(all_of(*(Attr("x" * 200 + str(n)).exists() for n in range(20))))
    assert caught.value.rule == "expression-length"


def test_operators_are_counted_in_every_kind_of_node() -> None:
    condition = ~(a.between(1, 2) & b.size().is_in([1, 2]) & (a == 1)) | c.contains("x")
    # NOT, BETWEEN, size, IN, =, contains; two ANDs and an OR
    assert count_operators(condition) == 9


def test_a_path_is_one_node_whatever_face_it_has() -> None:
    plain = Path(("a", 0))
    assert plain._key() == Attr("a")[0]._key() == Attr.path("a[0]")._key()
    assert repr(plain) == repr(Attr("a")[0]) == "Attr('a')[0]"
    assert Path(("a",))._key() == Key("a")._key()


def test_names_count_by_their_bytes_in_the_size_of_names_and_values() -> None:
    def request(letter: str) -> dict[str, Any]:
        # 33 names of 65,534 bytes; half of that where a letter is one byte.
        return rendered_with_names([Attr(letter * 32_766 + f"{number:02}") for number in range(33)])

    assert len(request("-")["ExpressionAttributeNames"]) == 33
    with pytest.raises(BuildError) as caught:
        request("é")
    assert caught.value.rule == "substitution-size"


def rendered_with_names(paths: list[Attr]) -> dict[str, Any]:
    placeholders = Placeholders()
    render(all_of(*(path.exists() for path in paths)), placeholders)
    request: dict[str, Any] = {}
    placeholders.into(request)
    return request
