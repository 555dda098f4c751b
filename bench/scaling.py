"""Scaling on paper: what a million sign-ups cost, what limits a second of them, and how often they conflict.

No clock and no network: the same numbers on every machine. Prices and quotas are assumptions, stated as parameters.
"""

from __future__ import annotations

import heapq
import random
from dataclasses import dataclass
from itertools import accumulate

from expr_builder import Marker, Table, Unique


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars in us-east-1, as AWS lists them publicly (noted November 2025; check before you rely on them)."""

    million_write_units: float = 0.625
    million_read_units: float = 0.125
    million_function_calls: float = 0.20
    gigabyte_second_arm: float = 0.0000133334
    million_api_calls: float = 3.50
    gigabyte_of_logs: float = 0.50


@dataclass(frozen=True, slots=True)
class Usage:
    """What one sign-up uses."""

    write_units: int
    function_milliseconds: float = 15  # of sign-up, warm: mostly the transaction's own time
    function_megabytes: int = 512
    authorizations_per_call: float = 0.2  # the rest come out of API Gateway's cache
    authorizer_milliseconds: float = 3
    log_bytes: int = 1_500


@dataclass(frozen=True, slots=True)
class Traffic:
    """Sign-ups that meet.

    Attributes:
        rate: Sign-ups a second.
        seconds: How long they are watched.
        hold: Seconds for which a transaction keeps others off its items.
        names: How many usernames people think of.
        skew: How much the popular ones are preferred (the exponent of Zipf's law; 0 is not at all).
        twice: The share of sign-ups that are sent a second time while the first one is still on its way.
    """

    rate: float
    seconds: float
    hold: float = 0.010
    names: int = 1_000_000
    skew: float = 0.8
    twice: float = 0.001


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of them, as shares of all sign-ups.

    Attributes:
        conflicts: Met a transaction in flight on one of their markers, at least once.
        taken: Found the name taken.
        unfinished: Still in conflict after all attempts: these would get 503.
        attempts: Transactions sent for one sign-up.
        hottest: Attempts a second on the most wanted marker.
    """

    conflicts: float
    taken: float
    unfinished: float
    attempts: float
    hottest: float


ATTEMPTS = 8
FIRST_DELAY, LONGEST_DELAY = 0.025, 1.0


def write_units() -> int:
    """The write units of one sign-up, as the library counts them for a usual account."""
    accounts = Table("accounts", partition_key="PK", sort_key="SK")
    unique = Unique(accounts, owner="PK", email=Marker("UNIQ#EMAIL#{}"), username=Marker("UNIQ#HANDLE#{}"))
    account = {
        "PK": f"ACCT#{'0' * 36}",
        "SK": "PROFILE",
        "account_id": "0" * 36,
        "email": "somebody.with.a.name@example.com",
        "username": "somebody",
        "subject": "0" * 36,
        "version": 1,
        "created_at": "2026-01-02T03:04:05.678Z",
        "fingerprint": "0" * 64,
        "norm": 1,
    }
    return unique.create(account).capacity()


def cost_of_a_million(prices: Prices, usage: Usage) -> dict[str, float]:
    """US dollars for a million sign-ups, by what they are paid for."""
    gigabytes = usage.function_megabytes / 1024
    seconds = (usage.function_milliseconds + usage.authorizations_per_call * usage.authorizer_milliseconds) * 1000
    return {
        "DynamoDB writes": usage.write_units * prices.million_write_units,
        "API Gateway (REST)": prices.million_api_calls,
        "Lambda calls": (1 + usage.authorizations_per_call) * prices.million_function_calls,
        "Lambda time": seconds * gigabytes * prices.gigabyte_second_arm,
        "logs": usage.log_bytes / 1000 * prices.gigabyte_of_logs,
    }


def simulate(traffic: Traffic, *, seed: int = 6) -> Outcome:
    """Let sign-ups arrive at random and hold their markers; who meets one in flight tries again, as the library does.

    Every address is new, so that addresses only meet in sign-ups that are sent twice; names are wanted by Zipf's law.
    """
    chance = random.Random(seed)
    weights = list(accumulate(1 / (rank + 1) ** traffic.skew for rank in range(traffic.names)))
    arrivals: list[tuple[float, int, int, int, int]] = []  # moment, person, name, address, attempts made
    moment, people = 0.0, 0
    while (moment := moment + chance.expovariate(traffic.rate)) < traffic.seconds:
        name = chance.choices(range(traffic.names), cum_weights=weights)[0]
        arrivals.append((moment, people, name, people, 0))
        if chance.random() < traffic.twice:
            arrivals.append((moment + chance.uniform(0, 2 * traffic.hold), people, name, people, 0))
        people += 1
    return _run(arrivals, traffic, chance)


def _run(arrivals: list[tuple[float, int, int, int, int]], traffic: Traffic, chance: random.Random) -> Outcome:
    total = len(arrivals)
    busy: dict[int, float] = {}  # marker -> until when; addresses are counted from below zero
    owners: dict[int, int] = {}
    tries: dict[int, int] = {}
    met = taken = unfinished = attempts = 0
    heapq.heapify(arrivals)
    while arrivals:
        moment, person, name, address, made = heapq.heappop(arrivals)
        attempts += 1
        tries[name] = tries.get(name, 0) + 1
        markers = (name, -1 - address)
        if any(busy.get(marker, 0) > moment for marker in markers):
            met += made == 0
            if made + 1 == ATTEMPTS:
                unfinished += 1
                continue
            delay = chance.uniform(0, min(LONGEST_DELAY, FIRST_DELAY * 2 ** (made + 1)))
            heapq.heappush(arrivals, (moment + delay, person, name, address, made + 1))
            continue
        for marker in markers:
            busy[marker] = moment + traffic.hold
        if any(marker in owners for marker in markers):
            taken += 1
        else:
            owners.update(dict.fromkeys(markers, person))
    return Outcome(
        conflicts=met / total,
        taken=taken / total,
        unfinished=unfinished / total,
        attempts=attempts / total,
        hottest=max(tries.values()) / traffic.seconds,
    )


TRAFFIC = {
    "1,000 a second": Traffic(rate=1_000, seconds=60),
    "100,000 a second": Traffic(rate=100_000, seconds=1.5),
    "1,000 a second, everybody wants few names": Traffic(rate=1_000, seconds=20, skew=1.1),
    "100,000 a second, everybody wants few names": Traffic(rate=100_000, seconds=1.5, skew=1.1),
}


def cost_table() -> str:
    """The cost of a million sign-ups as a Markdown table."""
    costs = cost_of_a_million(Prices(), Usage(write_units()))
    lines = [f"| {name} | {dollars:.2f} |" for name, dollars in costs.items()]
    return "\n".join(
        [
            "| a million sign-ups | US dollars |",
            "|---|---|",
            *lines,
            f"| **together** | **{sum(costs.values()):.2f}** |",
        ]
    )


def conflict_table() -> str:
    """The simulated traffic as a Markdown table."""
    lines = [
        "| sign-ups | met another in flight | name taken | transactions for one | unfinished | hottest marker |",
        "|---|---|---|---|---|---|",
    ]
    for name, traffic in TRAFFIC.items():
        found = simulate(traffic)
        lines.append(
            f"| {name} | {found.conflicts:.2%} | {found.taken:.1%} | {found.attempts:.3f} | {found.unfinished:.3%} "
            f"| {found.hottest:,.0f}/s |"
        )
    return "\n".join(lines)
