"""What each option of the games means, in words; imports nothing, so that help texts come at once."""

from typing import NamedTuple


class Option(NamedTuple):
    """How an option's value is written, "" for a switch, and what it means."""

    metavar: str
    meaning: str


OPTIONS = {
    "seen": Option("CARDS", "cards that have left the deck, such as 1,1,5,9 (this hand's own cards are still in it)"),
    "left": Option("COUNTS", "the counts still in the deck, ten numbers from rank 1 up"),
    "stacks": Option("P1,P2", "chips of P1 (the first bettor) and P2 before the ante"),
    "carry": Option("CHIPS", "the pot carried over from a tie, even"),
    "raises": Option(
        "SIZES",
        "sizes that a bet or raise adds, in chips or as a part of the pot (1/2pot), with allin for going to the cap "
        "(without it the cap is only for an opening bet that nothing listed fits), or any",
    ),
    "opens": Option("SIZES", "sizes of the opening bet, where they differ from raises"),
    "raise_limit": Option("N", "at most so many raises after the opening bet: a smaller game"),
    "line": Option("ACTIONS", "a history offered beside the sizes and the raise limit: a smaller game"),
    "tie_bust": Option(
        "split|loses",
        "a tie that leaves a player without chips: split the pot, or that player loses (both: a draw); for the "
        "match objective only",
    ),
    "penalties": Option(
        "ten|final|death-match|none",
        "what folding a good hidden hand costs: ten or none in indian-poker; final, death-match or none in "
        "indian-holdem",
    ),
    "board": Option("CARDS", "the community cards, such as 4,9; without it every board is solved"),
    "fronts": Option("P1,P2", "P1's and P2's front, such as 3,8; without it every pair of fronts is solved"),
    "shown": Option("CARDS", "cards of earlier hands seen whole, such as 3/7,8/2"),
    "hidden": Option("FRONTS", "both fronts of every earlier hand that ended in a fold, such as 5,9"),
    "players": Option("N", "players at the table, 2 to 10 (with five or more strategies are learned by sampling)"),
    "max_raises": Option("N", "raises after the bet, for the whole table"),
    "bet_size": Option("COUNTERS", "counters that the bet asks for"),
    "raise_size": Option("COUNTERS", "counters that a raise adds"),
    "rank_suits": Option("", "suits break ties: clubs < diamonds < hearts < spades"),
    "objective": Option(
        "chips|match|session",
        "what the players maximise: their chips in this hand, their chance to win the match (in advise the default "
        "where a match table is at hand), or in blind-mans-bluff their share of the session",
    ),
    "deck_model": Option(
        "auto|exact|fresh",
        "with objective match: later hands are dealt from the deck really left (in indian-poker), or from full "
        "decks; auto is exact where such a table is at hand",
    ),
    "balances": Option("COUNTERS", "each seat's counters before the hand, from seat 1: the objective is the session"),
    "hands_left": Option("N", "hands left in the session, this one included; the last one where balances are told"),
}
"""The options of all games by name; `rules.games.registry.options_of` says which game has which."""

GROUPS: dict[str, tuple[str, ...]] = {
    "Cards": ("seen", "left", "board", "fronts", "shown", "hidden"),
    "Chips and betting": (
        "stacks", "carry", "raises", "opens", "raise_limit", "line", "tie_bust", "penalties", "players", "max_raises",
        "bet_size", "raise_size", "rank_suits",
    ),
    "What is played for": ("objective", "deck_model", "table", "balances", "hands_left"),
    "Told from your seat": ("log", "me", "opp", "first", "my_front", "opp_front", "mine"),
}  # fmt: skip
"""The options of commands about hands as help texts show them; what stands in none is the command's own."""

PERSONAL = {"me": "stacks", "opp": "stacks", "first": "stacks", "log": "stacks", "table": "stacks",
            "my_front": "fronts", "opp_front": "fronts", "mine": "fronts"}  # fmt: skip
"""Options that a game has where it has another one."""

MATCH_RULES = ("penalties", "raises", "opens", "raise_limit", "tie_bust")
"""The options that hold from the first hand of a match to the last."""

MATCH = ("seen", "left", "shown", "hidden", "carry", *MATCH_RULES)
"""The options that a whole match can have, begun at any hand."""

SEAT = {
    "me": Option("CHIPS", "Your chips before the ante; with --opp in place of --stacks."),
    "opp": Option("CHIPS", "The other's chips before the ante."),
    "first": Option("me|opp", "Who bets first, you by default where anything is told from your side."),
    "my_front": Option("CARD", "Your front in double-sided; with --opp-front in place of --fronts."),
    "opp_front": Option("CARD", "The other's front."),
}
"""What can be told of you and the other in place of P1 and P2."""


def flag(name: str) -> str:
    """Return an option as it is typed."""
    return f"--{name.replace('_', '-')}"
