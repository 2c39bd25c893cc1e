"""The compiled core of Monte Carlo CFR for a fixed-limit table of up to 10 players, private.

A hand is played and not looked up in a tree: a public state is a few whole numbers (`Spot`), and what a player knows
is one number, `key`, made of what matters of the cards seen and of the history. Players who know the same share a
row of every table, whatever their seats. Rows have three places, for `FOLD`, `GO_ON` and `RAISE`; where one is not
offered it stays 0.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.kernels.vectors import compiled

FOLD, GO_ON, RAISE = range(3)
"""Actions, and places of a row: fold; check or call; bet or raise."""

TABLE, CALLER, RANDOM, RULE = range(4)
"""How a seat plays: by a table, always checking and calling, any legal action alike, or by a rule of thumb.

Rule `RULE + r` bets, or calls, where nobody else left shows more than the r-th of `RANKS` ranks, else checks or folds.
"""

RANKS = 13
"""Into so many ranks the cards are put, from the weakest."""

BOLD = RULE + RANKS
"""Rule `BOLD + r` is rule `RULE + r`, but raises where it may instead of calling."""

PAIRS = RANKS * (RANKS + 1) // 2
BITS, MASK = 5, 31
"""What a seat has answered is `BITS` of `Spot.paid`."""

DEALING, ACTING = 7, 1000
"""Streams of chances."""


class FixedLimitGame(NamedTuple):
    """What is played: seats, raises after the bet, sizes in chips, and different cards in so many copies."""

    players: int
    max_raises: int
    bet_size: int
    raise_size: int
    kinds: int
    copies: int


class Abstraction(NamedTuple):
    """How keys are put together: seats, levels of betting that are told apart, and different keys."""

    players: int
    levels: int
    size: int


class Spot(NamedTuple):
    """A public state: who acts (-1 at the end); who is left, has yet to act, has acted, as bits; the betting.

    `aggressor` made the last of `bets` bets and raises, -1 for nobody; `paid` has for each seat which of them it has
    answered last, `BITS` each.
    """

    seat: int
    left: int
    pending: int
    acted: int
    bets: int
    aggressor: int
    paid: int


class Population(NamedTuple):
    """Whom a learner meets: `slip`, how often the others act at random; `share` of simple players.

    `mix` are the simple players' cumulative shares, by how they play; they come as copies, in all other seats.
    """

    slip: float
    share: float
    mix: NDArray[np.float64]


class Gathered(NamedTuple):
    """What a stream gathers in a batch, a row for each key: regrets, own reach, visits; and which keys, in order.

    `judged` may have no rows; else it gathers what actions win (three columns), and the squares of differences: of
    `GO_ON` and `FOLD`, of `RAISE` and `FOLD`, of `RAISE` and `GO_ON`.
    """

    delta: NDArray[np.float32]
    reach: NDArray[np.float32]
    visits: NDArray[np.int32]
    touched: NDArray[np.int32]
    judged: NDArray[np.float64]


@compiled
def mixed(first, second, third):
    """Return 64 bits that three numbers decide, never 0 (splitmix64's finish, twice)."""
    found = np.uint64(first) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0x2545F4914F6CDD1D)
    found += np.uint64(second) * np.uint64(0xD1B54A32D192ED03) + np.uint64(third) * np.uint64(0x8CB92BA72F3D8DD7)
    for _ in range(2):
        found ^= found >> np.uint64(30)
        found *= np.uint64(0xBF58476D1CE4E5B9)
        found ^= found >> np.uint64(27)
        found *= np.uint64(0x94D049BB133111EB)
        found ^= found >> np.uint64(31)
    return found | np.uint64(1)


@compiled
def unit(bits):
    """Return bits as a number from 0 to below 1."""
    return np.float64(bits >> np.uint64(11)) * 2.0**-53


@compiled
def chance(state):
    """Return the next number from 0 to below 1 of a stream (xorshift64*)."""
    found = state[0]
    found ^= found >> np.uint64(12)
    found ^= found << np.uint64(25)
    found ^= found >> np.uint64(27)
    state[0] = found
    return unit(found * np.uint64(2685821657736338717))


@compiled
def ranked(cards, order, seat):
    """Put a seat's card into the order of seats by card, strongest first, where those before it are."""
    place = seat
    while place > 0 and cards[order[place - 1]] < cards[seat]:
        order[place] = order[place - 1]
        place -= 1
    order[place] = seat


@compiled
def deal(limits, state, deck, cards, order):
    """Deal a card to each seat and rank the seats; `deck` is shuffled on."""
    for seat in range(limits.players):
        other = seat + int(chance(state) * (len(deck) - seat))
        deck[seat], deck[other] = deck[other], deck[seat]
        cards[seat] = deck[seat] // limits.copies
        ranked(cards, order, seat)


@compiled
def level(limits, bets):
    """Return what so many bets and raises ask for beyond the ante."""
    return limits.bet_size + (bets - 1) * limits.raise_size if bets > 0 else 0


@compiled
def members(bits):
    """Return how many bits are set."""
    found = 0
    while bits:
        bits &= bits - 1
        found += 1
    return found


@compiled
def root(limits):
    """Return the start of a hand."""
    everybody = (1 << limits.players) - 1
    return Spot(0, everybody, everybody, 0, 0, -1, 0)


@compiled
def after(limits, spot, action):
    """Return the state after an action."""
    bit = 1 << spot.seat
    left, pending, bets, aggressor, paid = spot.left, spot.pending & ~bit, spot.bets, spot.aggressor, spot.paid
    if action == FOLD:
        left &= ~bit
    else:
        if action == RAISE:
            bets, aggressor, pending = bets + 1, spot.seat, left & ~bit
        shift = BITS * spot.seat
        paid = (paid & ~(MASK << shift)) | (bets << shift)
    seat = -1
    if pending and left & (left - 1):
        seat = spot.seat
        while True:
            seat = seat + 1 if seat + 1 < limits.players else 0
            if pending >> seat & 1:
                break
    return Spot(seat, left, pending, spot.acted | bit, bets, aggressor, paid)


@compiled
def payoff(limits, spot, cards, order, who):
    """Return a seat's net chips where the hand ends here."""
    cost = 1.0 + level(limits, spot.paid >> (BITS * who) & MASK)
    if not spot.left >> who & 1:
        return -cost
    pot, best, share = 0, -1, 0
    for seat in range(limits.players):
        pot += 1 + level(limits, spot.paid >> (BITS * seat) & MASK)
    for place in range(limits.players):
        seat = order[place]
        if spot.left >> seat & 1:
            if share and cards[seat] != best:
                break
            best = cards[seat]
            share += 1
    return (pot / share if cards[who] == best else 0.0) - cost


@compiled
def role(spot, seat):
    """Return what a player left has done: made the last bet or raise, answered, or has yet to act."""
    return 0 if seat == spot.aggressor else 2 if spot.pending >> seat & 1 else 1


@compiled
def key(layout, limits, spot, cards, order):
    """Return what the acting player knows, as a number below `layout.size`.

    Of the cards: the two best ranks among the others left, what the holders of both have done, and whether somebody
    who folded shows more than the best. Of the history: how many are left and have yet to act, how many of those act
    for the first time or what the player has done, and the level of the betting. The player's own card is not looked
    at.
    """
    seats, me, first, second, above = layout.players, spot.seat, -1, -1, 0
    for place in range(seats):
        seat = order[place]
        if seat == me:
            continue
        if spot.left >> seat & 1:
            if first >= 0:
                second = seat
                break
            first = seat
        elif first < 0:
            above = 1
    top = cards[first] * RANKS // limits.kinds
    low = cards[second] * RANKS // limits.kinds if second >= 0 else 0
    left, behind = members(spot.left) - 2, members(spot.pending) - 1
    if spot.bets == 0:
        history = left * seats + behind
    else:
        if not spot.acted >> me & 1:
            own = members(spot.pending & ~spot.acted) - 1
        else:
            own = seats + (1 if spot.paid >> (BITS * me) & MASK else 0)
        # The first bet, what can still be raised, and what cannot.
        at = layout.levels - 1 if spot.bets > limits.max_raises else min(spot.bets - 1, 1)
        history = (seats - 1) * seats + ((at * (seats + 2) + own) * (seats - 1) + left) * (seats - 1) + behind
    found = history * PAIRS + top * (top + 1) // 2 + low
    found = (found * 3 + role(spot, first)) * 3 + (role(spot, second) if second >= 0 else 0)
    return found * 2 + above


@compiled
def play(table, at, spot, limits, found):
    """Fill the probabilities that positive weights of a row are in proportion to; even where there are none."""
    start = FOLD if spot.bets else GO_ON
    end = RAISE if spot.bets <= limits.max_raises else GO_ON
    whole = 0.0
    for action in range(3):
        found[action] = 0.0
    for action in range(start, end + 1):
        found[action] = max(0.0, table[at, action])
        whole += found[action]
    for action in range(start, end + 1):
        found[action] = found[action] / whole if whole > 0.0 else 1.0 / (end - start + 1)


@compiled
def drawn(probabilities, number):
    """Return the action that a number from 0 to 1 draws."""
    if number < probabilities[FOLD]:
        return FOLD
    return GO_ON if number < probabilities[FOLD] + probabilities[GO_ON] or probabilities[RAISE] == 0.0 else RAISE


@compiled
def simple(style, limits, spot, cards, order, number):
    """Return what a simple player does; `number`, from 0 to 1, draws where that is by chance."""
    if style == CALLER:
        return GO_ON
    if style == RANDOM:
        return int(number * (3 if spot.bets <= limits.max_raises else 2))
    best = 0
    for place in range(limits.players):
        seat = order[place]
        if seat != spot.seat and spot.left >> seat & 1:
            best = cards[seat] * RANKS // limits.kinds
            break
    bold = style >= BOLD
    if best > style - (BOLD if bold else RULE):
        return FOLD if spot.bets else GO_ON
    return RAISE if spot.bets == 0 or (bold and spot.bets <= limits.max_raises) else GO_ON


@compiled
def acted(style, layout, limits, spot, cards, order, table, number, found):
    """Return what the acting player does; `found` is overwritten."""
    if style != TABLE:
        return simple(style, limits, spot, cards, order, number)
    play(table, key(layout, limits, spot, cards, order), spot, limits, found)
    return drawn(found, number)


@compiled
def sample(layout, limits, table, others, population, seed, batch, stream, deals, only, gathered):
    """Gather regrets of `table` over deals, external sampling; return how many keys were touched.

    Each player in turn tries every own action, the others' are drawn, by the table `others` or as simple players.
    `only` is the one player who learns, -1 for all. `gathered` is zero where nothing was touched.
    """
    state, deck = np.empty(1, np.uint64), np.arange(limits.kinds * limits.copies)
    state[0] = mixed(seed, batch, stream)
    cards, order = np.zeros(limits.players, np.int64), np.zeros(limits.players, np.int64)
    depths = limits.max_raises + 3
    # Of each own decision on the way: the state, key, next and last action; the strategy, values and own reach.
    frames, values = np.zeros((depths, 10), np.int64), np.zeros((depths, 3))
    mine, reach, theirs = np.zeros((depths, 3)), np.zeros(depths), np.zeros(3)
    used = 0
    for _ in range(deals):
        deal(limits, state, deck, cards, order)
        for me in range(limits.players):
            if only >= 0 and me != only:
                continue
            style = TABLE
            if population.share > 0.0 and chance(state) < population.share:
                number, style = chance(state), CALLER
                while number >= population.mix[style]:
                    style += 1
            spot, arriving, depth = root(limits), 1.0, -1
            while True:
                while spot.seat >= 0 and spot.seat != me and spot.left >> me & 1:
                    if population.slip > 0.0 and chance(state) < population.slip:
                        action = simple(RANDOM, limits, spot, cards, order, chance(state))
                    else:
                        action = acted(style, layout, limits, spot, cards, order, others, chance(state), theirs)
                    spot = after(limits, spot, action)
                if spot.seat == me:
                    depth += 1
                    frame = frames[depth]
                    frame[0], frame[1], frame[2], frame[3] = spot.seat, spot.left, spot.pending, spot.acted
                    frame[4], frame[5], frame[6] = spot.bets, spot.aggressor, spot.paid
                    frame[7] = key(layout, limits, spot, cards, order)
                    frame[8] = FOLD if spot.bets else GO_ON
                    frame[9] = RAISE if spot.bets <= limits.max_raises else GO_ON
                    play(table, frame[7], spot, limits, mine[depth])
                    reach[depth] = arriving
                else:
                    value = payoff(limits, spot, cards, order, me)
                    while depth >= 0:
                        frame = frames[depth]
                        values[depth, frame[8]] = value
                        frame[8] += 1
                        if frame[8] <= frame[9]:
                            break
                        start, at, value = FOLD if frame[4] else GO_ON, frame[7], 0.0
                        for action in range(start, frame[9] + 1):
                            value += mine[depth, action] * values[depth, action]
                        if gathered.visits[at] == 0:
                            gathered.touched[used] = at
                            used += 1
                        gathered.visits[at] += 1
                        gathered.reach[at] += reach[depth]
                        for action in range(start, frame[9] + 1):
                            gathered.delta[at, action] += values[depth, action] - value
                        if len(gathered.judged) > 0:
                            for action in range(start, frame[9] + 1):
                                gathered.judged[at, action] += values[depth, action]
                                for other in range(start, action):
                                    apart = values[depth, action] - values[depth, other]
                                    gathered.judged[at, 2 + action + other] += apart * apart
                        depth -= 1
                if depth < 0:
                    break
                frame = frames[depth]
                spot = Spot(frame[0], frame[1], frame[2], frame[3], frame[4], frame[5], frame[6])
                arriving = reach[depth] * mine[depth, frame[8]]
                spot = after(limits, spot, frame[8])
    return used


@compiled
def add(into, used, more, number):
    """Add what one stream has gathered to another's, clear it, and return how many keys are touched there then."""
    for place in range(number):
        at = more.touched[place]
        if into.visits[at] == 0:
            into.touched[used] = at
            used += 1
        into.visits[at] += more.visits[at]
        into.reach[at] += more.reach[at]
        more.visits[at], more.reach[at] = 0, 0.0
        for action in range(3):
            into.delta[at, action] += more.delta[at, action]
            more.delta[at, action] = 0.0
    return used


@compiled
def learn(regret, total, visits, gain, weight, gathered, used):
    """Take what was gathered into regrets, times `gain`, strategies, times `weight`, and visits; clear it.

    Regrets below 0 become 0 (CFR+). The strategy that was played counts by the mean own reach of the visits, so not
    by how often the others come there.
    """
    for place in range(used):
        at = gathered.touched[place]
        counted = weight * gathered.reach[at] / gathered.visits[at]
        visits[at] += gathered.visits[at]
        gathered.visits[at], gathered.reach[at] = 0, 0.0
        whole = 0.0
        for action in range(3):
            whole += regret[at, action]
        for action in range(3):
            if whole > 0.0:
                total[at, action] += counted * regret[at, action] / whole
            regret[at, action] = max(0.0, regret[at, action] + gain * gathered.delta[at, action])
            gathered.delta[at, action] = 0.0


@compiled
def hand(layout, limits, styles, tables, which, cards, order, seed, number, times, spot, found):
    """Play a hand to its end from a state and return that.

    Each seat plays by its style, and `tables[which]`; its chances depend on the hand's number and on how often it has
    acted (`times`, overwritten), so that hands with other players differ by these alone.
    """
    times[:] = 0
    while spot.seat >= 0:
        seat = spot.seat
        luck = unit(mixed(seed, number, ACTING + 64 * seat + times[seat]))
        times[seat] += 1
        action = acted(styles[seat], layout, limits, spot, cards, order, tables[which[seat]], luck, found)
        spot = after(limits, spot, action)
    return spot


@compiled
def compare(layout, limits, tables, styles, changed, only, seed, start, end, sums):
    """Play hands `start` to `end` - 1 as they are, and with one seat changed; add to sums, a row for each seat.

    Seats play `styles`, by ``tables[0]``. A seat that is changed, each in turn or `only` one, plays style `changed`
    by ``tables[1]``. Columns: what the seat wins as it is, the square, what the change adds, the square.
    """
    players = limits.players
    state, deck = np.empty(1, np.uint64), np.arange(limits.kinds * limits.copies)
    cards, order, times = np.zeros(players, np.int64), np.zeros(players, np.int64), np.zeros(players, np.int64)
    which, found, style = np.zeros(players, np.int64), np.zeros(3), styles.copy()
    for number in range(start, end):
        state[0] = mixed(seed, number, DEALING)
        deck[:] = np.arange(len(deck))
        deal(limits, state, deck, cards, order)
        ended = hand(layout, limits, style, tables, which, cards, order, seed, number, times, root(limits), found)
        for seat in range(players):
            if only >= 0 and seat != only:
                continue
            own = payoff(limits, ended, cards, order, seat)
            style[seat], which[seat] = changed, 1
            other = hand(layout, limits, style, tables, which, cards, order, seed, number, times, root(limits), found)
            style[seat], which[seat] = styles[seat], 0
            more = payoff(limits, other, cards, order, seat) - own
            sums[seat, 0] += own
            sums[seat, 1] += own * own
            sums[seat, 2] += more
            sums[seat, 3] += more * more


@compiled
def roll_out(layout, limits, tables, spot, seen, chances, seed, hands, sums, products):
    """Play hands on from a state after each action; add what the acting player wins to sums.

    The player goes on by ``tables[0]``, and so do the others, or they are copies of a simple player. `seen` are all
    cards, the acting player's unknown; `chances` those of that card and of how the others play, cumulative, shape
    (kinds * styles,), where the style changes fastest: `TABLE`, then each simple one. Of any two actions the products
    of what they win with the same cards and luck are added too, shape (3, 3).
    """
    players, me, kinds = limits.players, spot.seat, len(chances) // limits.kinds
    styles, which = np.zeros(players, np.int64), np.zeros(players, np.int64)
    cards, order, times, found = seen.copy(), np.zeros(players, np.int64), np.zeros(players, np.int64), np.zeros(3)
    first, last = FOLD if spot.bets else GO_ON, RAISE if spot.bets <= limits.max_raises else GO_ON
    won = np.zeros(3)
    for number in range(hands):
        place = min(np.searchsorted(chances, unit(mixed(seed, number, DEALING)), "right"), len(chances) - 1)
        cards[me] = place // kinds
        styles[:] = place % kinds
        styles[me] = TABLE
        for seat in range(players):
            ranked(cards, order, seat)
        for action in range(first, last + 1):
            begin = after(limits, spot, action)
            end = hand(layout, limits, styles, tables, which, cards, order, seed, number, times, begin, found)
            won[action] = payoff(limits, end, cards, order, me)
            sums[action] += won[action]
            for other in range(first, action + 1):
                products[action, other] += won[action] * won[other]


@compiled
def likely(layout, limits, table, slip, spots, actions, cards, me, found):
    """Multiply how likely others act as they have, by the own card and how the others play, shape (kinds, styles).

    `spots` are the states on the way, shape (steps, 7), and `actions` what was done there. A part `slip` of what the
    others do is drawn evenly. `cards` are everybody's, the own, of seat `me`, unknown and overwritten.
    """
    order, mix = np.zeros(limits.players, np.int64), np.zeros(3)
    for card in range(found.shape[0]):
        cards[me] = card
        for seat in range(limits.players):
            ranked(cards, order, seat)
        for step in range(len(spots)):
            one = spots[step]
            spot = Spot(one[0], one[1], one[2], one[3], one[4], one[5], one[6])
            if spot.seat == me:
                continue
            legal = 3 if spot.bets <= limits.max_raises else 2
            for style in range(found.shape[1]):
                if style == TABLE:
                    play(table, key(layout, limits, spot, cards, order), spot, limits, mix)
                    kept = mix[actions[step]]
                elif style == RANDOM:
                    kept = 1.0 / legal
                else:
                    kept = 1.0 if simple(style, limits, spot, cards, order, 0.0) == actions[step] else 0.0
                found[card, style] *= (1.0 - slip) * kept + slip / legal


@compiled
def fill(layout, limits, spots, seen, table, first, kind, profile):
    """Fill a profile of every history and all cards seen from a table.

    `spots` are the states of the nodes, shape (N, 7); `seen` what a player may see, shape (columns, n - 1); actions
    of node n are rows ``first[n]:first[n + 1]``, of a kind each.
    """
    cards, order = np.zeros(limits.players, np.int64), np.zeros(limits.players, np.int64)
    found = np.zeros(3)
    for node in range(len(spots)):
        one = spots[node]
        spot = Spot(one[0], one[1], one[2], one[3], one[4], one[5], one[6])
        for column in range(len(seen)):
            for seat in range(limits.players):
                cards[seat] = 0 if seat == spot.seat else seen[column, seat - (1 if seat > spot.seat else 0)]
                ranked(cards, order, seat)
            play(table, key(layout, limits, spot, cards, order), spot, limits, found)
            for row in range(first[node], first[node + 1]):
                profile[row, column] = found[kind[row]]
