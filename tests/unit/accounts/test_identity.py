"""When two addresses, or two usernames, are the same."""

from __future__ import annotations

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts.identity import InvalidIdentity, check_email, check_username, normalize_email, normalize_username

LOCAL = st.from_regex(r"[A-Za-z0-9]{1,10}([.+_-][A-Za-z0-9]{1,10}){0,3}", fullmatch=True)
DOMAIN = st.sampled_from(
    ["example.com", "Mail.Example.COM", "bücher.example.org", "BÜCHER.example.org", "a-b.example.net"]
)
EMAILS = st.builds("{}@{}".format, LOCAL, DOMAIN)
USERNAMES = st.from_regex(r"[A-Za-z0-9]{3,10}([-_.][A-Za-z0-9]{1,6}){0,3}", fullmatch=True)


@given(EMAILS)
def test_the_key_of_an_email_key_is_the_key_itself(email: str) -> None:
    key = normalize_email(email)

    assert normalize_email(key) == key
    assert key.isascii()
    assert key == key.lower()


@given(EMAILS)
def test_an_email_is_shown_as_typed(email: str) -> None:
    assert check_email(email) == email


@given(EMAILS, EMAILS)
def test_emails_that_differ_beyond_case_keep_different_keys(one: str, other: str) -> None:
    same_when_lowered = one.lower() == other.lower()

    assert (normalize_email(one) == normalize_email(other)) == same_when_lowered


@given(USERNAMES)
def test_the_key_of_a_username_key_is_the_key_itself(username: str) -> None:
    key = normalize_username(username)

    assert normalize_username(key) == key
    assert check_username(username) == username
    assert set(key) <= set(string.ascii_lowercase + string.digits + "-_.")


@given(st.text(max_size=40))
def test_no_text_at_all_makes_more_than_a_refusal_or_a_stable_key(text: str) -> None:
    for pick_key in (normalize_email, normalize_username):
        try:
            key = pick_key(text)
        except InvalidIdentity:
            continue
        assert pick_key(key) == key


@pytest.mark.parametrize("typed", ["A@x.example.com", " a@X.Example.com", "a@x.example.com\n", "\ta@x.EXAMPLE.com "])
def test_case_and_surrounding_space_make_no_other_address(typed: str) -> None:
    assert normalize_email(typed) == "a@x.example.com"


@pytest.mark.parametrize(
    "lookalike",
    [
        "quac\u212a@example.com",
        "\uff41da@example.com",
        "a\u0301da@example.com",
        "\u00e1da@example.com",
        "ada\u200b@example.com",
    ],
    ids=["kelvin-sign", "fullwidth", "combining-accent", "precomposed-accent", "zero-width-space"],
)
def test_an_email_with_more_than_ascii_before_the_at_sign_is_refused(lookalike: str) -> None:
    with pytest.raises(InvalidIdentity):
        normalize_email(lookalike)


@pytest.mark.parametrize("lookalike", ["\u212aate", "\uff41da", "a\u0301da", "\u00e1da", "ad\u0430"])
def test_a_username_is_ascii_only(lookalike: str) -> None:
    with pytest.raises(InvalidIdentity):
        normalize_username(lookalike)


@pytest.mark.parametrize("nothing", [None, "", " ", 0, b"ada@example.com"])
def test_no_key_is_ever_made_of_nothing(nothing: object) -> None:
    with pytest.raises(InvalidIdentity):
        normalize_email(nothing)
    with pytest.raises(InvalidIdentity):
        normalize_username(nothing)


@pytest.mark.parametrize(
    ("typed", "key"),
    [
        ("Ada.Lovelace+news@Example.com", "ada.lovelace+news@example.com"),
        ("ada@BÜCHER.example.com", "ada@xn--bcher-kva.example.com"),
        ("ada@xn--bcher-kva.example.com", "ada@xn--bcher-kva.example.com"),
        ("{ada}#!@example.com", "{ada}#!@example.com"),
        ("a" * 64 + "@example.com", "a" * 64 + "@example.com"),
    ],
)
def test_what_becomes_of_an_address(typed: str, key: str) -> None:
    assert normalize_email(typed) == key


@pytest.mark.parametrize(
    "wrong",
    [
        "ada",
        "ada@",
        "@mail.example.com",
        "ada@example",
        "ada lovelace@example.com",
        '"ada lovelace"@example.com',
        "Ada <ada@example.com>",
        "ada@example.com, bob@example.com",
        "ada@[192.0.2.1]",
        "ada@service.test",
        "ada@localhost",
        "a" * 65 + "@example.com",
        "ada@" + ".".join(["a" * 60] * 5) + ".com",
        "\ud800@example.com",
    ],
)
def test_a_refused_address_is_not_repeated_in_the_message(wrong: str) -> None:
    with pytest.raises(InvalidIdentity) as refused:
        check_email(wrong)

    assert refused.value.code == "invalid_email"
    assert wrong not in str(refused.value)
    assert refused.value.__context__ is None or wrong not in repr(refused.value.__context__)


@pytest.mark.parametrize("username", ["ada", "Ada.L", "a-b_c.d", "007", "a" * 32])
def test_a_username_is_compared_in_lower_case_and_shown_as_typed(username: str) -> None:
    assert (normalize_username(username), check_username(username)) == (username.lower(), username)


@pytest.mark.parametrize(
    "wrong", ["ab", "a" * 33, "-ada", "ada-", "a--da", "a._da", "a da", " ada", "ada\n", "a/da", "a#da", "UNIQ#EMAIL#x"]
)
def test_a_refused_username_is_not_repeated_in_the_message(wrong: str) -> None:
    with pytest.raises(InvalidIdentity, match=r"3 to 32 characters") as refused:
        check_username(wrong)

    assert refused.value.code == "invalid_username"
    assert not re.search(rf"\b{re.escape(wrong)}\b", str(refused.value))
