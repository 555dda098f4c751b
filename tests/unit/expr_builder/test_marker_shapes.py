"""Markers of other shapes than one value of one attribute: whole transactions."""

from __future__ import annotations

import enum
import hashlib
import hmac
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from expr_builder import Attr, BuildError, Marker, Table, TransactionCanceled, Unique, UniqueViolation, UniqueWrite

table = Table("t", "PK")
NOW = 1_800_000_000


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("expr_builder.unique.time.time", lambda: NOW + 0.75)


def items(tx: UniqueWrite) -> dict[str, Any]:
    """What is asked of DynamoDB, by slot, without what all actions have."""
    transact_items: list[Any] = [*tx.to_request()["TransactItems"]]
    shown: dict[str, Any] = {}
    for slot, item in zip(tx.slots, transact_items, strict=True):
        ((kind, body),) = item.items()
        body.pop("TableName")
        body.pop("ReturnValuesOnConditionCheckFailure")
        shown[slot] = {kind: body}
    return shown


def claim(key: str) -> dict[str, Any]:
    marker = {"PK": {"S": key}, "owner": {"S": "R#1"}}
    return {"Put": {"Item": marker, "ConditionExpression": "attribute_not_exists(PK)"}}


def release(key: str) -> dict[str, Any]:
    return {
        "Delete": {
            "Key": {"PK": {"S": key}},
            "ConditionExpression": "#n0 = :v0",
            "ExpressionAttributeNames": {"#n0": "owner"},
            "ExpressionAttributeValues": {":v0": {"S": "R#1"}},
        }
    }


# --- several attributes


SLUGS = Unique(table, owner="PK", slug=Marker("ORG#{org_id}#SLUG#{slug}", normalize={"slug": str.lower}))
PAGE = {"PK": "R#1", "org_id": 7, "slug": "Home", "title": "x"}


def test_a_value_is_unique_within_a_parent_and_its_case_alone_is_folded() -> None:
    assert items(SLUGS.create(PAGE))["slug"] == claim("ORG#7#SLUG#home")
    assert items(SLUGS.create({**PAGE, "org_id": "Org"}))["slug"] == claim("ORG#Org#SLUG#home")


def test_one_function_normalizes_the_fields_own_attribute() -> None:
    for template in ("ORG#{org_id}#SLUG#{slug}", "ORG#{org_id}#SLUG#{}"):
        rule = Marker(template, normalize=str.lower, previous=[Marker("OLD#{slug}#{org_id}", normalize=str.upper)])
        for _ in range(2):  # the rule itself stays as it is
            unique = Unique(table, owner="PK", slug=rule)
            assert unique.list_keys("slug", {"org_id": "Org", "slug": "Home"}) == ("ORG#Org#SLUG#home", "OLD#HOME#Org")


def test_elements_can_be_unique_within_a_parent() -> None:
    unique = Unique(table, owner="PK", mails=Marker("ORG#{org}#MAIL#{}", each=True, normalize=str.lower))
    made = items(unique.create({"PK": "R#1", "org": "o", "mails": ["A", "b"]}))
    assert made["mails[0]"] == claim("ORG#o#MAIL#a")
    assert made["mails[1]"] == claim("ORG#o#MAIL#b")
    moved = items(unique.change({"PK": "R#1", "org": "o", "mails": ["A", "b"]}, org="p"))
    assert list(moved) == ["record", "mails[0]", "mails[1]", "mails[0].release", "mails[1].release"]


def test_a_change_of_either_attribute_swaps_the_marker_and_is_guarded_by_both() -> None:
    assert items(SLUGS.change(PAGE, org_id=8)) == {
        "record": {
            "Update": {
                "Key": {"PK": {"S": "R#1"}},
                "UpdateExpression": "SET org_id = :v0",
                "ConditionExpression": "attribute_exists(PK) AND org_id = :v1 AND slug = :v2",
                "ExpressionAttributeValues": {":v0": {"N": "8"}, ":v1": {"N": "7"}, ":v2": {"S": "Home"}},
            }
        },
        "slug": claim("ORG#8#SLUG#home"),
        "slug.release": release("ORG#7#SLUG#home"),
    }
    assert list(SLUGS.change(PAGE, slug="HOME").slots) == ["record"]
    assert items(SLUGS.change(PAGE, {"org_id": 8, "slug": "b"}))["slug"] == claim("ORG#8#SLUG#b")


def test_a_deletion_is_guarded_by_all_attributes() -> None:
    tx = items(SLUGS.delete(PAGE))
    assert tx["record"]["Delete"]["ConditionExpression"] == "attribute_exists(PK) AND org_id = :v0 AND slug = :v1"
    assert tx["slug.release"] == release("ORG#7#SLUG#home")


def test_an_update_may_touch_neither_attribute() -> None:
    for target in ("org_id", "slug", Attr("slug")["x"]):
        with pytest.raises(BuildError, match="marker-update"):
            SLUGS.change(PAGE, {}, set={target: "c"})
    tx = SLUGS.change(PAGE, {"slug": "b"}, set={"title": "y"})
    assert items(tx)["record"]["Update"]["UpdateExpression"] == "SET slug = :v0, title = :v1"


@pytest.mark.parametrize(
    "values", [("a#SLUG#b", "c"), ("a#SLUG", "b"), ("a", ""), (None, "c"), (True, "c"), (["a"], "c")]
)
def test_values_that_could_make_the_key_of_others_are_refused(values: tuple[Any, Any]) -> None:
    with pytest.raises(BuildError, match=r"^unique field slug: .*\[marker-value\]$"):
        SLUGS.create({**PAGE, "org_id": values[0], "slug": values[1]})


_TEXT = st.text("aS#LUG", min_size=1, max_size=9)


@given(st.tuples(_TEXT, _TEXT), st.tuples(_TEXT, _TEXT))
def test_two_pairs_of_values_never_have_one_key(one: tuple[str, str], other: tuple[str, str]) -> None:
    rule = Marker("ORG#{org_id}#SLUG#{slug}")

    def key(values: tuple[str, str]) -> str | None:
        try:
            return rule.make_key(*values)
        except BuildError:
            return None

    made = key(one)
    if made is not None:
        middle = rule.extract(made)
        assert middle is not None
        assert rule.split(middle) == one
        assert (made == key(other)) == (one == other)


def test_numbers_are_their_digits_and_a_member_of_an_enumeration_its_text() -> None:
    class Org(enum.StrEnum):
        HOME = "home"

    class Number(enum.IntEnum):
        SEVEN = 7

    rule = Marker("{a}#{b}")
    assert rule.make_key(Number.SEVEN, Org.HOME) == "7#home"
    assert rule.make_key(Decimal("7.0"), "b") == rule.make_key(7, "b") == "7#b"
    with pytest.raises(BuildError, match="a is no non-empty string and no number"):
        rule.make_key(0.5, "b")
    with pytest.raises(BuildError, match="made of 2 values, not of 1"):
        rule.make_key("a")
    with pytest.raises(BuildError, match="say which attribute"):
        Marker("{a}#{b}", normalize=str.lower).make_key("a", "b")


def test_an_optional_one_needs_all_attributes_or_has_no_marker() -> None:
    optional = Unique(table, owner="PK", slug=Marker("S#{org_id}#{}", optional=True))
    assert items(optional.create({**PAGE, "slug": None})) == {
        "record": {
            "Put": {
                "Item": {"PK": {"S": "R#1"}, "org_id": {"N": "7"}, "title": {"S": "x"}},
                "ConditionExpression": "attribute_not_exists(PK)",
            }
        }
    }
    left = items(optional.change(PAGE, slug=None))
    assert left["record"]["Update"]["UpdateExpression"] == "REMOVE slug"
    assert left["slug.release"] == release("S#7#Home")
    assert items(optional.change({"PK": "R#1", "org_id": 7}, slug="n"))["slug"] == claim("S#7#n")


def test_an_attribute_inside_a_map_is_read_guarded_and_set_there() -> None:
    inner = Unique(table, owner="PK", mail=Marker("MAIL#{contact.mail}", normalize=str.lower))
    person = {"PK": "R#1", "contact": {"mail": "A@example.com", "city": "X"}}
    assert inner.attributes == ("contact",)
    assert items(inner.create(person))["mail"] == claim("MAIL#a@example.com")
    assert items(inner.change(person, {"contact.mail": "b@example.com"})) == {
        "record": {
            "Update": {
                "Key": {"PK": {"S": "R#1"}},
                "UpdateExpression": "SET contact.mail = :v0",
                "ConditionExpression": "attribute_exists(PK) AND contact.mail = :v1",
                "ExpressionAttributeValues": {":v0": {"S": "b@example.com"}, ":v1": {"S": "A@example.com"}},
            }
        },
        "mail": claim("MAIL#b@example.com"),
        "mail.release": release("MAIL#a@example.com"),
    }
    whole = items(inner.change(person, contact={"mail": "c@example.com"}))
    assert whole["record"]["Update"]["UpdateExpression"] == "SET contact = :v0"
    assert whole["mail"] == claim("MAIL#c@example.com")
    with pytest.raises(BuildError, match=r"contact\.mail is unique"):
        inner.change(person, {}, set={"contact": {}})
    inner.change(person, {"contact.mail": "b@example.com"}, set={Attr("contact")["city"]: "Y"})


# --- each element


ALIASES = Unique(table, owner="PK", mails=Marker("MAIL#{}", each=True, normalize=str.lower, optional=True))


def test_each_element_has_a_marker_and_equal_ones_share_it() -> None:
    tx = ALIASES.create({"PK": "R#1", "mails": ["A@example.com", "b@example.com", "a@EXAMPLE.com"]})
    made = items(tx)
    assert list(made) == ["record", "mails[0]", "mails[1]"]
    assert made["mails[0]"] == claim("MAIL#a@example.com")
    assert tx.claims == ("mails[0]", "mails[1]")


def test_a_change_claims_and_releases_the_difference() -> None:
    old = {"PK": "R#1", "mails": ["a@example.com", "b@example.com"]}
    made = items(ALIASES.change(old, mails=["c@example.com", "B@example.com"]))
    assert made == {
        "record": {
            "Update": {
                "Key": {"PK": {"S": "R#1"}},
                "UpdateExpression": "SET mails = :v0",
                "ConditionExpression": "attribute_exists(PK) AND mails = :v1",
                "ExpressionAttributeValues": {
                    ":v0": {"L": [{"S": "c@example.com"}, {"S": "B@example.com"}]},
                    ":v1": {"L": [{"S": "a@example.com"}, {"S": "b@example.com"}]},
                },
            }
        },
        "mails[0]": claim("MAIL#c@example.com"),
        "mails[0].release": release("MAIL#a@example.com"),
    }
    assert list(ALIASES.change(old, mails=None).slots) == ["record", "mails[0].release", "mails[1].release"]


def test_a_sets_elements_are_numbered_in_alphabetical_order() -> None:
    made = items(ALIASES.create({"PK": "R#1", "mails": {"b@example.com", "a@example.com"}}))
    assert made["mails[0]"] == claim("MAIL#a@example.com")
    assert made["mails[1]"] == claim("MAIL#b@example.com")


@pytest.mark.parametrize("value", [None, []])
def test_no_elements_are_no_markers_if_the_field_is_optional(value: Any) -> None:
    assert list(ALIASES.create({"PK": "R#1", "mails": value}).slots) == ["record"]
    needed = Unique(table, owner="PK", mails=Marker("MAIL#{}", each=True))
    with pytest.raises(BuildError, match="marker-value"):
        needed.create({"PK": "R#1", "mails": value})


@pytest.mark.parametrize("value", ["a@example.com", {"a": 1}, [1], ["a", ""], {1, 2}])
def test_elements_are_texts_in_a_list_or_set(value: Any) -> None:
    with pytest.raises(BuildError, match="marker-value"):
        ALIASES.create({"PK": "R#1", "mails": value})


def test_a_list_without_the_option_is_refused_with_it() -> None:
    for mails in (["a@example.com"], {"a@example.com"}):
        with pytest.raises(BuildError, match="declare the Marker each=True"):
            Unique(table, owner="PK", mails=Marker("MAIL#{}")).create({"PK": "R#1", "mails": mails})


# --- digests


def test_a_digest_keeps_the_value_out_of_the_key() -> None:
    digested = Unique(table, owner="PK", mail=Marker("MAIL#{}", digest=True, normalize=str.lower))
    digest = hashlib.sha256(b"ada@example.com").hexdigest()
    assert items(digested.create({"PK": "R#1", "mail": "Ada@example.com"}))["mail"] == claim(f"MAIL#{digest}")
    long = digested.create({"PK": "R#1", "mail": "x" * 5000})
    assert len(items(long)["mail"]["Put"]["Item"]["PK"]["S"]) == len("MAIL#") + 64


def test_a_secret_keys_the_digest_and_appears_nowhere() -> None:
    rule = Marker("{a}#{b}", digest=b"secret")
    assert rule.make_key("x", "y") == hmac.new(b"secret", b"x#y", hashlib.sha256).hexdigest()
    assert rule.secret_name != Marker("{}", digest=b"other").secret_name
    assert "secret" not in repr(rule) + str(rule.secret_name)
    assert rule.fits(rule.make_key("x", "y"))
    assert not rule.fits("x#y")


# --- rest


RESTING = Unique(table, owner="PK", name=Marker("NAME#{}", hold=timedelta(days=30)))
PERSON = {"PK": "R#1", "name": "ada"}


def test_a_released_value_stays_with_its_former_owner_until_it_is_free() -> None:
    assert items(RESTING.delete(PERSON))["name.release"] == {
        "Update": {
            "Key": {"PK": {"S": "NAME#ada"}},
            "UpdateExpression": "SET free_at = :v0",
            "ConditionExpression": "#n0 = :v1",
            "ExpressionAttributeNames": {"#n0": "owner"},
            "ExpressionAttributeValues": {":v0": {"N": str(NOW + 30 * 86_400)}, ":v1": {"S": "R#1"}},
        }
    }


def test_a_claim_takes_what_is_absent_free_or_its_own() -> None:
    assert items(RESTING.change(PERSON, name="bob"))["name"] == {
        "Put": {
            "Item": {"PK": {"S": "NAME#bob"}, "owner": {"S": "R#1"}},
            "ConditionExpression": (
                "attribute_not_exists(PK) OR free_at <= :v0 OR #n0 = :v1 AND attribute_exists(free_at)"
            ),
            "ExpressionAttributeNames": {"#n0": "owner"},
            "ExpressionAttributeValues": {":v0": {"N": str(NOW)}, ":v1": {"S": "R#1"}},
        }
    }


# --- rules that change


FOLDED = Unique(
    table, owner="PK", mail=Marker("MAIL2#{}", normalize=str.lower, previous=[Marker("MAIL#{}"), Marker("M#{org}#{}")])
)


def test_a_claim_is_guarded_by_all_rules_and_a_release_frees_all() -> None:
    record = {"PK": "R#1", "mail": "Ada", "org": "x"}
    made = items(FOLDED.create(record))
    assert made["mail"] == claim("MAIL2#ada")
    assert made["mail.previous"] == claim("MAIL#Ada")
    assert made["mail.previous2"] == claim("M#x#Ada")
    assert FOLDED.create(record).claims == ("mail",)
    gone = items(FOLDED.delete(record))
    assert list(gone) == ["record", "mail.release", "mail.previous.release", "mail.previous2.release"]
    # A record has the markers of those rules only under which it was written.
    assert gone["mail.release"]["Delete"]["ConditionExpression"] == "attribute_not_exists(PK) OR #n0 = :v0"


def test_previous_rules_need_not_be_able_to_key_a_record() -> None:
    assert list(FOLDED.create({"PK": "R#1", "mail": "Ada"}).slots) == ["record", "mail", "mail.previous"]


def test_what_both_rules_make_alike_is_one_marker() -> None:
    folded = Unique(table, owner="PK", mail=Marker("MAIL#{}", normalize=str.lower, previous=[Marker("MAIL#{}")]))
    assert list(folded.create({"PK": "R#1", "mail": "ada"}).slots) == ["record", "mail"]
    assert items(folded.change({"PK": "R#1", "mail": "Ada"}, mail="ada"))["mail.previous.release"]["Delete"]["Key"] == {
        "PK": {"S": "MAIL#Ada"}
    }
    assert folded.list_keys("mail", {"mail": "Ada"}) == ("MAIL#ada", "MAIL#Ada")
    assert folded.list_current_keys("mail", {"mail": "Ada"}) == ("MAIL#ada",)


class _Refuses:
    """A client that refuses these slots of a transaction, by their markers' keys, once."""

    def __init__(self, *keys: str) -> None:
        self.keys = keys

    def transact_write_items(self, **request: Any) -> Any:
        reasons = []
        for item in request["TransactItems"]:
            ((_, body),) = item.items()
            key = (body.get("Item") or body["Key"])["PK"]["S"]
            failed = {"Code": "ConditionalCheckFailed", "Item": {"PK": {"S": key}, "owner": {"S": "R#9"}}}
            reasons.append(failed if key in self.keys else {"Code": "None"})
        error = Exception()
        error.response = {"Error": {"Code": "TransactionCanceledException"}, "CancellationReasons": reasons}  # type: ignore[attr-defined]
        raise error


def test_a_value_that_is_taken_by_an_earlier_rule_is_taken() -> None:
    with pytest.raises(UniqueViolation) as refused:
        FOLDED.create({"PK": "R#1", "mail": "Ada"}).send(_Refuses("MAIL#Ada"))  # type: ignore[arg-type]
    assert refused.value.holders == {"mail": "R#9"}


def test_a_taken_element_is_named_by_its_position() -> None:
    with pytest.raises(UniqueViolation) as refused:
        ALIASES.create({"PK": "R#1", "mails": ["a", "b"]}).send(_Refuses("MAIL#b"))  # type: ignore[arg-type]
    assert refused.value.fields == ("mails[1]",)


def test_a_refused_record_is_no_taken_value() -> None:
    with pytest.raises(TransactionCanceled) as refused:
        ALIASES.create({"PK": "R#1", "mails": ["a"]}).send(_Refuses("R#1"))  # type: ignore[arg-type]
    assert refused.value.failed == ("record",)


# --- declarations that cannot work


@pytest.mark.parametrize(
    ("template", "more", "message"),
    [
        ("UNIQ#", {}, "with {} for the value"),
        ("A#{b", {}, "with {} for the value"),
        ("A#b}", {}, "with {} for the value"),
        ("A#{b}}", {}, "with {} for the value"),
        (7, {}, "is text"),
        ("{a}{b}", {}, "nothing stands between"),
        ("{a}#{a}", {}, "twice"),
        ("{}#{}", {}, "twice"),
        ("{a..b}", {}, "an attribute name is expected"),
        ("{a}#{b}", {"normalize": {"c": str.lower}}, "normalize names c"),
        ("{}", {"normalize": 7}, "cannot be called"),
        ("{a}#{b}", {"normalize": {"a": 7}}, "cannot be called"),
        ("{}", {"digest": "secret"}, "digest is a str"),
        ("{}", {"digest": b""}, "digest is a bytes"),
        ("{}", {"hold": 30}, "hold is a int"),
        ("{}", {"hold": timedelta(0)}, "shorter than a second"),
        ("{}", {"hold": timedelta.max}, "longer than a century"),
        ("{}", {"previous": ["{}"]}, "previous is a list"),
        ("{}", {"previous": [Marker("B{}", previous=[Marker("C{}")])]}, "of its own"),
        ("{}", {"previous": [Marker("B{}", hold=timedelta(1))]}, "of its own"),
        ("{}", {"previous": [Marker("B{}", sort=1)]}, "another sort key"),
    ],
)
def test_a_marker_that_cannot_work_is_refused(template: Any, more: dict[str, Any], message: str) -> None:
    with pytest.raises(BuildError) as refused:
        Marker(template, **more)
    assert message in str(refused.value)
    assert str(refused.value).startswith("Marker")
    assert refused.value.fix


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"a": Marker("X#{}"), "b": Marker("Y#{}", previous=[Marker("X#{}")])}, "a value of"),
        ({"a": Marker("X#{}", previous=[Marker("X#Y#{}")])}, "a value of a could make the marker of a value of a"),
        ({"a": Marker("X#{}"), "a.previous": Marker("Y#{}")}, "the name of another slot"),
        ({"a.b": Marker("X#{}"), "c": Marker("Y#{a.b}")}, "an attribute here and a path there"),
        ({"a": Marker("X#{b}#{c}", normalize=str.lower)}, "say which attribute: normalize={'c': …}"),
        ({"a": Marker("X#{b}", each=True)}, "the template does not name a (write {} for it)"),
    ],
)
def test_fields_that_cannot_live_together_are_refused(fields: dict[str, Marker], message: str) -> None:
    with pytest.raises(BuildError) as refused:
        Unique(table, fields, owner="PK")
    assert message in str(refused.value)


def test_the_time_of_rest_may_not_be_a_key() -> None:
    with pytest.raises(BuildError, match='"free_at" is a key attribute'):
        Unique(Table("t", "PK", ("free_at", "N")), owner="PK", a=Marker("A#{}", sort=0, hold=timedelta(1)))


def test_a_markers_key_is_made_of_values_in_order_or_of_a_record() -> None:
    assert SLUGS.make_marker_key("slug", (7, "Home")) == {"PK": "ORG#7#SLUG#home"}
    assert SLUGS.make_marker_key("slug", PAGE) == {"PK": "ORG#7#SLUG#home"}
    assert SLUGS.make_marker("slug", PAGE, "R#1") == {"PK": "ORG#7#SLUG#home", "owner": "R#1"}
