// What a page of three and more players knows: the betting, and what is played where these cards are seen.

const END = 0, INSIDE = 1;
const PLAIN = { f: "fold", k: "check", c: "call", b: "bet", r: "raise" };
const HELD = [["leads", "leads"], ["checked", "called"], ["to act", "to act"]];
const about = JSON.parse(byId("about").textContent);
const seats = [...Array(about.players).keys()];
// Cards by seat, -1 where nothing was said; the card of the one who acts is not looked at.
const at = { path: [], cards: seats.map(() => -1), slot: -1, axis: -1, suit: about.suits.length - 1, action: -1, holders: "" };
const numbers = {};

function name(seat) { return "P" + (seat + 1); }

// The betting, as rules.betting.fixed_limit has it.

const ROOT = { pending: seats, left: seats, paid: seats.map(() => 0), bets: 0, acted: [], aggressor: -1, index: 0 };

function level(bets) { return bets ? about.bet_size + (bets - 1) * about.raise_size : 0; }

function moves(state) {
  if (state.moves) return state.moves;
  const [seat, ...pending] = state.pending, { left, paid, bets, aggressor } = state;
  const acted = state.acted.includes(seat) ? state.acted : [...state.acted, seat];
  const others = left.filter((one) => one !== seat);
  const paying = (amount) => paid.map((one, place) => (place === seat ? amount : one));
  const after = (fields) => ({ bets, acted, aggressor, paid, left, pending, ...fields });
  const turn = (one) => (one - seat + about.players) % about.players;
  const found = [
    ["f", after({ left: others })],
    [bets ? "c" : "k", after({ paid: paying(level(bets)) })],
  ];
  if (bets <= about.max_raises) {
    const answers = [...others].sort((a, b) => turn(a) - turn(b));
    found.push([bets ? "r" : "b", after({ pending: answers, paid: paying(level(bets + 1)), bets: bets + 1, aggressor: seat })]);
  }
  state.moves = found.map(([token, next]) => ({ token, seat, next, over: next.left.length === 1 || !next.pending.length }));
  return state.moves;
}

// Which histories the page has, and where their rows lie; by level, as the file has them.
function unfold() {
  const ways = numbers.ways(), list = [ROOT];
  let all = 0;
  for (let place = 0; place < list.length; place++) {
    const state = list[place];
    state.index = place;
    state.row = all;
    for (const move of moves(state)) {
      const way = ways[all++];
      move.cut = !move.over && way !== INSIDE;
      if (way === INSIDE) list.push(move.next);
      if (move.over !== (way === END)) throw new Error("the numbers do not fit the betting");
    }
  }
  if (all !== ways.length) throw new Error("the numbers do not fit the betting");
}

function follow(path) {
  let state = ROOT;
  const steps = [];
  for (const token of path) {
    if (!state || state.over) return { steps, over: true };
    const move = moves(state).find((one) => one.token === token);
    if (!move) return { steps, state, bad: token };
    steps.push(move);
    if (move.cut) return { steps, cut: true };
    state = move.over ? { ...move.next, over: true } : move.next;
  }
  return { steps, state: state.over ? null : state, over: Boolean(state.over) };
}

function player(state) { return state.pending[0]; }

function others(state) { return seats.filter((seat) => seat !== player(state)); }

function all(state) { return others(state).every((seat) => at.cards[seat] >= 0); }

function copiesLeft(state, card, except) {
  return about.copies - others(state).filter((seat) => seat !== except && at.cards[seat] === card).length;
}

// What the page knows.

function column(state, cards) {
  return others(state).reduce((found, seat) => found * about.cards.length + cards[seat], 0);
}

function exactly(state, cards) {
  const width = about.cards.length ** (about.players - 1), place = column(state, cards);
  const cell = state.index * width + place, codes = numbers.probability(), evs = numbers.ev(), ranks = numbers.ranks()[cell];
  const list = others(state);
  if (list.some((seat) => list.filter((one) => cards[one] === cards[seat]).length > about.copies)) return null;
  const odds = numbers.odds();
  return {
    cells: moves(state).map((_, choice, { length }) => {
      const first = state.row * width, index = first + choice * width + place;
      const rank = (ranks >> 2 * choice) & 3; // what is best stands first
      return { code: codes[first + place * length + choice], best: rank < ranks >> 6, place: rank, ev: evs[index] };
    }),
    own: numbers.own()[cell],
    others: numbers.other()[cell],
    reached: numbers.reached()[cell] === 1,
    lost: numbers.lost()[cell] * 10 ** (numbers.power()[cell] - about.least_power),
    odds: [0, 1, 2].map((kind) => odds[cell * 3 + kind]),
    held: numbers.held ? about.cards.map((_, card) => numbers.held()[cell * about.cards.length + card]) : null,
  };
}

// What the player knows as one number, as solver.kernels.mccfr.key has it: the history, then the cards.
function historyKey(state) {
  const me = player(state), size = about.players;
  const left = state.left.length - 2, behind = state.pending.length - 1;
  if (!state.bets) return left * size + behind;
  const fresh = state.pending.filter((seat) => !state.acted.includes(seat)).length - 1;
  const own = state.acted.includes(me) ? size + (state.paid[me] > 0 ? 1 : 0) : fresh;
  const stage = state.bets > about.max_raises ? about.levels - 1 : Math.min(state.bets - 1, 1);
  return (size - 1) * size + ((stage * (size + 2) + own) * (size - 1) + left) * (size - 1) + behind;
}

function rankOf(card) { return Math.floor(card * about.ranks.length / about.cards.length); }

const PAIRS = about.ranks.length * (about.ranks.length + 1) / 2, CARDS = PAIRS * 18;

function role(state, seat) { return seat === state.aggressor ? 0 : state.pending.includes(seat) ? 2 : 1; }

function bucketOf(state, cards) {
  const order = others(state).sort((a, b) => cards[b] - cards[a] || a - b);
  const left = order.filter((seat) => state.left.includes(seat));
  const [first, second] = left;
  return {
    top: rankOf(cards[first]), holder: role(state, first),
    low: second === undefined ? 0 : rankOf(cards[second]), holder2: second === undefined ? 0 : role(state, second),
    higher: order.indexOf(first) > 0 ? 1 : 0,
  };
}

function cardKey(one) {
  return (((one.top * (one.top + 1) / 2 + one.low) * 3 + one.holder) * 3 + one.holder2) * 2 + one.higher;
}

function placeOf(key) {
  const keys = numbers.keys();
  let low = 0, high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle] < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function learned(state, bucket) {
  const key = historyKey(state) * CARDS + cardKey(bucket), place = placeOf(key);
  if (numbers.keys()[place] !== key) return null;
  return moves(state).map(({ token }) => ({ code: token === "f" ? state.bets ? numbers.fold()[place] : 0
    : (token === "k" || token === "c" ? numbers.go : numbers.more)()[place] }));
}

function told(state, bucket) {
  const words = HELD.map((pair) => pair[state.bets ? 1 : 0]);
  const alone = state.left.length === 2;
  return about.ranks[bucket.top] + " (" + words[bucket.holder] + ")" +
    (alone ? "" : ", then " + about.ranks[bucket.low] + " (" + words[bucket.holder2] + ")") + (bucket.higher ? " *" : "");
}
