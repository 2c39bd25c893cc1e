"""Playing cards: rank order, suits, and text there and back."""

import pytest

from rules.base.errors import CardError
from rules.cards.playing_cards import RANKS, SUITS, Card, parse_cards

DECK = [Card(rank, suit) for rank in range(2, 15) for suit in ("", *SUITS)]


@pytest.mark.parametrize("card", DECK, ids=str)
def test_text_and_back(card: Card) -> None:
    text = str(card)
    assert Card.parse(text) == Card.parse(text.lower()) == Card.parse(f" {text.upper()} ") == card


def test_ranks_ascend_from_two_to_the_ace() -> None:
    assert " ".join(str(Card(rank)) for rank in range(2, 15)) == " ".join(RANKS) == "2 3 4 5 6 7 8 9 10 J Q K A"


def test_suits_ascend_within_a_rank() -> None:
    assert " ".join(map(str, sorted(parse_cards("Ks Kc Qs Kh Kd Ac")))) == "Qs Kc Kd Kh Ks Ac"


@pytest.mark.parametrize(
    ("text", "canonical"), [("T", "10"), ("tC", "10c"), ("k♣", "Kc"), ("9♦", "9d"), ("2♥", "2h"), ("4♠", "4s")]
)
def test_other_writings(text: str, canonical: str) -> None:
    assert str(Card.parse(text)) == canonical


def test_a_whole_number_is_a_rank() -> None:
    assert Card.parse(10) == Card(10)


@pytest.mark.parametrize("wrong", ["", "1", "11", "0", "B", "Kx", "hK", "K h", "10hh", "KK", None, True, 2.0, "joker"])
def test_anything_else_is_refused(wrong: object) -> None:
    with pytest.raises(CardError, match=r"^expected a card from 2 to 10, J, Q, K, A .* at the door$"):
        Card.parse(wrong, " at the door")


@pytest.mark.parametrize("value", ["A,10d Kh", " A, 10d\tKh ", ["A", "10d", "Kh"], (Card(14), "Td", Card(13, "h"))])
def test_lists_of_cards(value: object) -> None:
    assert parse_cards(value) == (Card(14), Card(10, "d"), Card(13, "h"))


def test_no_cards() -> None:
    assert parse_cards("") == parse_cards([]) == ()


def test_refusals_name_the_place() -> None:
    with pytest.raises(CardError, match=r"got '1' \(third of A,K,1\)"):
        parse_cards("A,K,1")
    with pytest.raises(CardError, match="expected a list of cards such as K,10,4, got 7"):
        parse_cards(7)
