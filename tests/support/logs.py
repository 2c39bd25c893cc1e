"""Match logs without hands, and what the tests of match logs compare."""

from rules.play.log import MatchLog

INDIAN = "forehead match log 1\ngame indian-poker\nstacks 10,10\nfirst me\n"
HOLDEM = "forehead match log 1\ngame indian-holdem\nstacks 10,10\nfirst me\n"
SIDED = "forehead match log 1\ngame double-sided\nstacks 15,15\nfirst me\n"


def state(log: MatchLog) -> tuple[tuple[int, int], int, int, int | str | None]:
    """My chips and theirs, carry, who bets first in the coming hand, who has won."""
    return log.chips, log.carry, log.first, log.winner
