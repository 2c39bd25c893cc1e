// The explorer of three and more players: the cards seen, the actions so far, and what to do.

// The address.

function address(path, cards) {
  const parts = ["h=" + path.map(encodeURIComponent).join("+")];
  const { state } = follow(path);
  if (state) {
    const seen = others(state).map((seat) => (cards[seat] < 0 ? "-" : about.cards[cards[seat]]));
    if (seen.some((card) => card !== "-")) parts.push("see=" + encodeURIComponent(seen.join(",")));
  }
  return "#" + parts.join("&");
}

function readAddress() {
  const given = {};
  for (const one of location.hash.slice(1).split("&")) {
    const cut = one.indexOf("=");
    if (cut > 0) given[one.slice(0, cut)] = one.slice(cut + 1);
  }
  if (!("h" in given) && location.hash.length > 1) return false; // a part of the page
  const plain = (text) => { try { return decodeURIComponent(text); } catch { return ""; } };
  at.path = (given.h || "").split("+").map(plain).filter(Boolean);
  const { state } = follow(at.path);
  if (state) {
    const seen = plain(given.see || "").split(/[\s,]+/).map((text) => about.cards.indexOf(text));
    others(state).forEach((seat, place) => { at.cards[seat] = seen[place] ?? -1; });
    others(state).forEach((seat) => { if (at.cards[seat] >= 0 && copiesLeft(state, at.cards[seat], seat) < 1) at.cards[seat] = -1; });
  }
  at.slot = -1;
  return true;
}

function go(path, focus) {
  at.path = path;
  at.slot = -1;
  const { state } = follow(path);
  // A card that another turn has brought in may be one too many here.
  if (state) others(state).forEach((seat) => { if (at.cards[seat] >= 0 && copiesLeft(state, at.cards[seat], seat) < 1) at.cards[seat] = -1; });
  moved(focus);
}

function moved(focus) {
  const target = address(at.path, at.cards);
  if (target !== location.hash) history.pushState(null, "", target);
  show();
  if (focus) byId("where").focus({ preventScroll: true });
}

// Actions up to which the heading names them; the path above it always does.
const MANY = 3;

// Cards.

function nextSlot(state, from) {
  const list = others(state);
  const order = [...list.slice(list.indexOf(from) + 1), ...list.slice(0, list.indexOf(from) + 1)];
  return order.find((seat) => at.cards[seat] < 0) ?? order[0];
}

function pick(card) {
  const { state } = follow(at.path);
  if (!state) return;
  const seat = at.slot;
  at.cards[seat] = card;
  if (card >= 0) {
    at.axis = seat;
    at.slot = nextSlot(state, seat);
  }
  moved(false);
}

function ownerOf(seat) { return name(seat) + "'s card"; }

function slots(state) {
  const box = byId("slots");
  box.textContent = "";
  for (const seat of others(state)) {
    const card = at.cards[seat], out = !state.left.includes(seat);
    box.append(make("button", {
      type: "button", class: "slot" + (out ? " out" : ""), "data-seat": name(seat), "aria-pressed": String(seat === at.slot),
      "aria-label": ownerOf(seat) + (out ? ", folded" : "") + ": " + (card < 0 ? "not chosen" : about.cards[card]),
      click: () => { at.slot = seat; if (at.cards[seat] >= 0) at.axis = seat; show(); byId("slots").querySelector('[data-seat="' + name(seat) + '"]').focus(); },
    }, make("small", { text: name(seat) }, make("span", { text: out ? " folded" : " shows" })), make("b", { text: card < 0 ? "?" : about.cards[card] })));
  }
}

function cardAt(rank) { return about.suits.length ? rank * about.suits.length + at.suit : rank; }

function buildPad() {
  about.suits.forEach((suit, place) => byId("suits").append(make("button", {
    type: "button", class: "key", "data-suit": suit, text: suit, "aria-label": { c: "clubs", d: "diamonds", h: "hearts", s: "spades" }[suit],
    click: () => { at.suit = place; show(); },
  })));
  about.ranks.forEach((rank, place) => byId("ranks").append(make("button", {
    type: "button", class: "key", "data-rank": rank, text: rank, click: () => pick(cardAt(place)),
  })));
  byId("ranks").append(make("button", { type: "button", class: "key clear", "aria-label": "no card", text: "×", click: () => pick(-1) }));
}

function pad(state) {
  byId("suits").querySelectorAll(".key").forEach((key, place) => key.setAttribute("aria-pressed", String(place === at.suit)));
  byId("ranks").querySelectorAll(".key:not(.clear)").forEach((key, rank) => {
    const card = cardAt(rank);
    key.disabled = copiesLeft(state, card, at.slot) < 1;
    key.setAttribute("aria-label", (about.cards[card]) + ", " + ownerOf(at.slot));
    key.setAttribute("aria-pressed", String(at.cards[at.slot] === card));
  });
  byId("asks").textContent = "Tap the card of " + name(at.slot) + ".";
}

// Showing.

function show() {
  const found = follow(at.path), state = found.bad ? null : found.state;
  if (state && !others(state).includes(at.slot)) at.slot = nextSlot(state, others(state)[others(state).length - 1]);
  if (state && !others(state).includes(at.axis)) at.axis = others(state)[others(state).length - 1];
  path(found);
  byId("found").textContent = "";
  const answer = byId("answer"), more = byId("more");
  answer.textContent = more.textContent = "";
  byId("pad").hidden = !state;
  heading(found, state);
  const input = byId("history");
  if (document.activeElement !== input) input.value = at.path.join(" ");
  if (!state) {
    answer.append(make("p", { class: "say", text: ending(found) }));
    return;
  }
  byId("see").value = others(state).map((seat) => (at.cards[seat] < 0 ? "-" : about.cards[at.cards[seat]])).join(",");
  slots(state);
  pad(state);
  (about.kind === "exact" ? showExact : showLearned)(state, answer, more);
}

function path(found) {
  const list = byId("path");
  list.textContent = "";
  const steps = [{ label: "start" }, ...found.steps.map((move) => ({ who: name(move.seat), label: PLAIN[move.token] }))];
  steps.forEach((step, place) => {
    const last = place === steps.length - 1;
    const item = make(last ? "span" : "a", last ? { "aria-current": "step" } : { href: address(at.path.slice(0, place), at.cards) });
    if (step.who) item.append(make("b", { text: step.who + " " }));
    item.append(step.label);
    list.append(make("li", {}, item));
  });
}

function soFar(steps) { return steps.map((move) => name(move.seat) + " " + PLAIN[move.token]).join(", "); }

function heading(found, state) {
  const where = byId("where"), facts = byId("facts"), { steps } = found;
  facts.textContent = "";
  if (!state) {
    where.textContent = found.bad ? "No such action" : found.cut ? "Not in this page" : "The hand is over";
    return;
  }
  const who = name(player(state)), chips = state.paid.reduce((sum, one) => sum + one, about.ante * about.players);
  where.textContent = who + " of " + about.players + (!steps.length ? " acts first" : " to act after " + (steps.length > MANY ? steps.length + " actions" : soFar(steps)));
  const facing = [["Pot", String(chips)], ["to call", String(level(state.bets) - state.paid[player(state)])],
    ["left", state.left.length + " of " + about.players]];
  const whole = overall(state);
  if (whole) facing.push(["a hand comes here", stated(whole.reach)]);
  facing.forEach(([label, value], place) => {
    if (place) facts.append(" · ");
    facts.append(label + " ", make("b", { text: value }));
  });
}

function overall(state) {
  if (about.kind === "exact") {
    const shares = numbers.share();
    return { cells: moves(state).map((_, choice) => ({ code: shares[state.row + choice] })), reach: numbers.reach()[state.index], mean: numbers.mean()[state.index] };
  }
  const known = about.told[at.path.join(" ")];
  return known ? { cells: known.played.map((code) => ({ code })), reach: known.reach } : null;
}

function ending(found) {
  if (found.bad) {
    return "“" + found.bad + "” is not offered here; offered: " + moves(found.state).map((move) => move.token + " (" + PLAIN[move.token] + ")").join(", ") + ".";
  }
  if (found.cut) return "Play comes here too seldom for this page: " + cutText();
  const last = found.steps[found.steps.length - 1];
  const { left } = last.next;
  return left.length === 1 ? "All others have folded: " + name(left[0]) + " takes the pot." : "Showdown among " + left.map(name).join(", ") + ".";
}

function cutText() {
  return "it has the " + about.nodes.toLocaleString("en") + " of " + about.total.toLocaleString("en") +
    " histories to which the play of all players but one leads at least once in " + Math.round(1 / about.threshold).toLocaleString("en") +
    " times. forehead show has the rest.";
}

function acts(move) {
  return "Go on after " + PLAIN[move.token] + (move.over ? ", which ends the hand" : "");
}

function taking(move) {
  return make("button", {
    type: "button", class: move.over ? "take end" : "take", "data-action": move.token, text: PLAIN[move.token],
    title: acts(move), "aria-label": acts(move), click: () => go([...at.path, move.token], true),
  });
}

// The actions with what is known of each: cells have a code, and where it is known an ev, whether it is best, and at
// which place it stands; else the order is that of the menu.
function actions(state, cells, caption) {
  const body = make("tbody", {});
  const shown = moves(state).map((move, choice) => ({ move, cell: cells ? cells[choice] : null }));
  if (shown.every(({ cell }) => cell && cell.place !== undefined)) shown.sort((a, b) => a.cell.place - b.cell.place);
  shown.forEach(({ move, cell }) => {
    body.append(make("tr", { "data-action": move.token }, make("th", { scope: "row" }, taking(move),
      cell && cell.best ? make("span", { class: "best-mark", text: " ●", title: "best" }) : null),
    make("td", {}, cell ? make("span", { class: "bar", part: part(cell.code) }) : null),
    make("td", { class: "number", text: cell ? percent(cell.code) : "not known" }),
    cell && cell.ev !== undefined ? make("td", { class: "number", text: signed(cell.ev) }) : null));
  });
  return make("table", { class: "bars acts" }, make("caption", { text: caption }), body);
}

function verdict(state, cells) {
  const main = moves(state).filter((_, choice) => cells[choice].code !== 0 && cells[choice].code !== TRACED);
  return main.length === 1 ? "Always " + PLAIN[main[0].token] + "." : "A mix: draw one action by these odds.";
}

function seenTold(state) {
  return others(state).map((seat) => name(seat) + " " + about.cards[at.cards[seat]] + (state.left.includes(seat) ? "" : " (folded)")).join(", ");
}

function listed(some) {
  const names = some.map(name);
  return names.length > 1 ? names.slice(0, -1).join(", ") + " and " + names[names.length - 1] : names.join("");
}

function missing(state) {
  return listed(others(state).filter((seat) => at.cards[seat] < 0));
}

function command(state) {
  const line = about.command + " --see " + others(state).map((seat) => about.cards[at.cards[seat]]).join(",") +
    (at.path.length ? ' --history "' + at.path.join(" ") + '"' : "");
  return make("code", { text: line });
}

function showExact(state, answer, more) {
  const who = name(player(state));
  if (!all(state)) {
    const whole = overall(state);
    answer.append(make("h4", { text: who + ", whatever is seen" }),
      make("p", { class: "say", text: "Choose the card of " + missing(state) + " for the answer." }),
      actions(state, whole.cells, "how often, over all cards" + (whole.reach ? "" : " as the deck gives them (play never comes here)")));
  } else {
    const one = exactly(state, at.cards);
    answer.append(make("h4", { text: who + " sees " + seenTold(state) }), make("p", { class: "say", text: verdict(state, one.cells) }),
      actions(state, one.cells, "play, and EV in " + about.unit + ", best first (●); a name goes on"));
    if (one.lost) {
      answer.append(make("p", { class: "warning lost", text: "! The strategy gives up " + amount(one.lost) + " " + about.unit +
        " here against the best play from here; " + about.why_lost + "." }));
    }
    const reach = "reach: own " + stated(one.own) + ", others' " + stated(one.others);
    const odds = ["win", "tie", "lose"].map((word, place) => word + " " + stated(one.odds[place])).join(", ");
    more.append(make("p", { class: "odds", text: "A showdown now among " + state.left.map(name).join(", ") + ", as the deck and the betting tell: " + odds + "." }));
    more.append(make("p", { class: "trust", text: one.reached ? "On the path of play (" + reach + ")."
      : "* Off the path: play comes here less than once in 1,000 hands (" + reach + ")." }));
    if (one.held) more.append(heldTable(one.held));
    else more.append(make("p", {}, "How likely each own card is: ", command(state)));
  }
  rows(state);
  matrix(state);
}

// An amount with two figures, as reports.text.words.small writes it.
function amount(value) { return String(Number(value.toPrecision(2))); }

function heldTable(codes) {
  const body = make("tbody", {});
  about.cards.forEach((card, place) => {
    if (codes[place]) body.append(make("tr", { "data-card": card }, make("th", { scope: "row", text: card }), make("td", {}, make("span", { class: "bar", part: part(codes[place]) })),
      make("td", { class: "number", text: percent(codes[place]) })));
  });
  return make("table", { class: "bars held" }, make("caption", { text: "your card, given the cards seen and the betting" }), body);
}

function head(state, first, plain) {
  const row = make("tr", {}, make("th", { scope: "col", text: first }));
  for (const move of moves(state)) row.append(make("th", { scope: "col", text: PLAIN[move.token] }));
  if (!plain) for (const text of ["own reach", "others'"]) row.append(make("th", { scope: "col", class: "quiet reach", text }));
  return make("thead", {}, row);
}

// A row for each card of one seat, the other cards as chosen.
function rows(state) {
  const box = byId("rows");
  box.textContent = "";
  const fixed = others(state).filter((seat) => seat !== at.axis), open = fixed.filter((seat) => at.cards[seat] < 0);
  const title = "By " + ownerOf(at.axis);
  box.append(make("h4", { text: title }));
  if (open.length) {
    box.append(make("p", { text: "Choose the card of " + listed(open) + " to see a row for each card of " + name(at.axis) + "." }));
    return;
  }
  const body = make("tbody", {});
  let off = false, lost = false;
  about.cards.forEach((card, place) => {
    if (copiesLeft(state, place, at.axis) < 1) return;
    const cards = at.cards.map((one, seat) => (seat === at.axis ? place : one)), one = exactly(state, cards);
    if (!one) return;
    off = off || !one.reached;
    lost = lost || one.lost > 0;
    const chosen = at.cards[at.axis] === place;
    const choose = () => { at.cards[at.axis] = place; moved(false); byId("rows").querySelector(".chosen button").focus(); };
    const line = make("tr", { "data-row": card, class: chosen ? "chosen" : "" },
      make("th", { scope: "row" }, make("button", { type: "button", class: "row", text: card + (one.reached ? "" : " *") + (one.lost ? " !" : ""), "aria-pressed": String(chosen), click: choose })));
    one.cells.forEach((cell, choice) => line.append(make("td", {
      class: "cell" + (cell.best ? " best" : "") + (cell.code ? "" : " never"), part: part(cell.code), "data-action": moves(state)[choice].token,
    }, make("b", { text: percent(cell.code) }), make("small", { text: signed(cell.ev) }))));
    line.append(make("td", { class: "quiet reach", text: percent(one.own) }), make("td", { class: "quiet reach", text: percent(one.others) }));
    body.append(line);
  });
  const caption = name(player(state)) + (fixed.length ? ", seeing " + fixed.map((seat) => name(seat) + " " + about.cards[at.cards[seat]]).join(", ") : "") +
    ": how often to play each action, below it its EV in " + about.unit + ".";
  box.append(make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": title },
    make("table", { class: "grid" }, make("caption", { text: caption }), head(state, name(at.axis)), body)),
  make("p", { class: "facts", text: "● best within what the solution can tell." + (off ? " * off the path: play comes here less than once in 1,000 hands." : "") +
    (lost ? " ! gives up something against the best play from here." : "") }));
}

// All cards of two seats at once, for one action.
function matrix(state) {
  const box = byId("matrix");
  box.textContent = "";
  const list = others(state), down = list.find((seat) => seat !== at.axis), across = at.axis;
  const open = list.filter((seat) => seat !== down && seat !== across && at.cards[seat] < 0);
  box.append(make("h4", { text: "By " + ownerOf(down) + " and " + ownerOf(across) }));
  if (open.length) {
    box.append(make("p", { text: "Choose the card of " + listed(open) + " to see all cards of these two at once." }));
    return;
  }
  const offered = moves(state), choice = at.action >= 0 && at.action < offered.length ? at.action : offered.length - 1;
  box.append(make("div", { class: "tabs", role: "group", "aria-label": "action" }, ...offered.map((move, place) => make("button", {
    type: "button", class: "tab", "data-tab": move.token, "aria-pressed": String(place === choice), text: PLAIN[move.token],
    click: () => { at.action = place; show(); byId("matrix").querySelector('[aria-pressed="true"]').focus(); },
  }))));
  const corner = name(down) + " \\ " + name(across);
  const body = make("tbody", {});
  about.cards.forEach((card, first) => {
    const line = make("tr", {}, make("th", { scope: "row", text: card }));
    about.cards.forEach((other, second) => {
      const cards = at.cards.map((one, seat) => (seat === down ? first : seat === across ? second : one)), one = exactly(state, cards);
      if (!one) { line.append(make("td", { text: "" })); return; }
      const code = one.cells[choice].code, chosen = at.cards[down] === first && at.cards[across] === second;
      line.append(make("td", {
        class: chosen ? "chosen" : null, part: part(code), "data-cards": card + "," + other, text: code === 0 ? "-" : code === TRACED ? "<1" : (code / 10).toFixed(0),
        click: () => { at.cards[down] = first; at.cards[across] = second; moved(false); },
      }));
    });
    body.append(line);
  });
  box.append(make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "All cards of two seats" },
    make("table", { class: "matrix" }, make("caption", { text: "How often " + name(player(state)) + " plays " + PLAIN[offered[choice].token] + ", in percent: " +
      ownerOf(down) + " downwards, " + ownerOf(across) + " to the right. A cell takes its cards." }),
    make("thead", {}, make("tr", {}, make("th", { scope: "col", text: corner }), ...about.cards.map((card) => make("th", { scope: "col", text: card })))), body)));
}

// A strategy on abstracted information.

function showLearned(state, answer, more) {
  const who = name(player(state));
  if (!all(state)) {
    const whole = overall(state);
    answer.append(make("h4", { text: who + ", whatever is seen" }),
      make("p", { class: "say", text: "Choose the card of " + missing(state) + " for the answer." }),
      actions(state, whole ? whole.cells : null, whole ? "how often, over all cards, estimated by dealing" : "how often over all cards is not in this page"));
  } else {
    const bucket = bucketOf(state, at.cards), cells = learned(state, bucket);
    answer.append(make("h4", { text: who + " sees " + seenTold(state) }),
      make("p", { class: "say", text: cells ? verdict(state, cells) : "Not known: learning never came here with such cards; the strategy plays evenly." }),
      actions(state, cells, "how often to play; a name goes on"));
    more.append(make("p", { class: "bucket", text: "What the strategy looks at: " + told(state, bucket) + "." }),
      make("p", {}, "EVs are estimated by playing on, which a page cannot: ", command(state)));
  }
  buckets(state);
  byId("matrix").textContent = "";
}

function holdersOf(one) { return [one.holder, one.holder2, one.higher].join(); }

// What was met here: who may hold the two best cards, by how many rows were learned of each.
function met(state) {
  const start = historyKey(state) * CARDS, keys = numbers.keys(), found = new Map();
  for (let place = placeOf(start); place < keys.length && keys[place] < start + CARDS; place++) {
    const key = keys[place] - start;
    const one = { holder: Math.floor(key / 6) % 3, holder2: Math.floor(key / 2) % 3, higher: key % 2 };
    found.set(holdersOf(one), (found.get(holdersOf(one)) || 0) + 1);
  }
  return [...found.entries()].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([key]) => key);
}

function buckets(state) {
  const box = byId("rows"), alone = state.left.length === 2;
  box.textContent = "";
  box.append(make("h4", { text: "By what the strategy looks at" }));
  const own = all(state) ? bucketOf(state, at.cards) : null, known = met(state);
  if (own && !known.includes(holdersOf(own))) known.push(holdersOf(own));
  if (!known.length) {
    box.append(make("p", { text: "Not known: learning never came here." }));
    return;
  }
  const current = own ? holdersOf(own) : known.includes(at.holders) ? at.holders : known[0];
  const [holder, holder2, higher] = current.split(",").map(Number), words = HELD.map((pair) => pair[state.bets ? 1 : 0]);
  const phrase = (text) => {
    const [one, two, more] = text.split(",").map(Number);
    return "best card: " + words[one] + (alone ? "" : "; second: " + words[two]) + (more ? "; a higher card folded" : "");
  };
  const choice = make("select", { id: "holders", "aria-label": "who holds the best cards" });
  known.forEach((one) => choice.append(make("option", { value: one, text: phrase(one) })));
  choice.value = current;
  choice.disabled = own !== null;
  choice.addEventListener("change", () => { at.holders = choice.value; show(); byId("holders").focus(); });
  box.append(make("p", { class: "controls" }, choice));
  const body = make("tbody", {});
  for (let top = about.ranks.length - 1; top >= 0; top--) {
    for (let low = alone ? 0 : top; low >= 0; low--) {
      const bucket = { top, low, holder, holder2, higher }, cells = learned(state, bucket);
      const chosen = own && own.top === top && own.low === low;
      const line = make("tr", { "data-row": told(state, bucket), class: chosen ? "chosen" : null }, make("th", { scope: "row", text: about.ranks[top] + (alone ? "" : ", then " + about.ranks[low]) }));
      moves(state).forEach((move, place) => line.append(cells
        ? make("td", { class: "cell" + (cells[place].code ? "" : " never"), part: part(cells[place].code), "data-action": move.token }, make("b", { text: percent(cells[place].code) }))
        : make("td", { class: "quiet", text: "not known" })));
      body.append(line);
      if (alone) break;
    }
  }
  box.append(make("div", { class: "scroll tall", tabindex: "0", role: "group", "aria-label": "Strategy table" },
    make("table", { class: "grid" }, make("caption", { text: name(player(state)) + ": how often to play each action, by the " + (alone ? "card" : "two best cards") + " of the others left. Not known: learning never came there." }),
      head(state, "sees", true), body)));
  const line = box.querySelector(".chosen"), scroll = box.querySelector(".scroll");
  if (line) scroll.scrollTop = line.offsetTop - scroll.clientHeight / 2;
}

// Typing.

function typed(event) {
  event.preventDefault();
  const complain = (text) => { byId("found").textContent = text; };
  const words = byId("history").value.toLowerCase().split(/[\s,;]+/).filter(Boolean).filter((word) => !/^p\d+$/.test(word));
  const next = [];
  for (const word of words) {
    const token = Object.keys(PLAIN).find((one) => word === one || word === PLAIN[one] || word === PLAIN[one] + "s");
    const { state, cut } = follow(next);
    const offered = state ? moves(state).map((move) => move.token) : [];
    if (!token || !offered.includes(token)) {
      return complain("“" + word + "” is not offered " + (next.length ? "after " + next.join(" ") : "at the start") +
        (offered.length ? "; offered: " + offered.join(" ") + "." : cut ? ": this page is cut there." : ": the hand is over there."));
    }
    next.push(token);
  }
  const { state } = follow(next), texts = byId("see").value.split(/[\s,]+/).filter(Boolean);
  if (state && texts.some((text) => text !== "-")) {
    const list = others(state);
    const cards = texts.map((text) => about.cards.findIndex((card) => card.toLowerCase() === text.toLowerCase().replace(/^t/, "10")));
    const wrong = texts.find((text, place) => text !== "-" && cards[place] < 0);
    if (wrong) return complain("“" + wrong + "” is no card; the cards are " + about.cards.slice(0, 3).join(" ") + " … " + about.cards[about.cards.length - 1] + ".");
    if (cards.length !== list.length) return complain("Expected " + list.length + " cards, of " + list.map(name).join(", ") + " in this order; got " + cards.length + ".");
    const over = cards.find((card) => card >= 0 && cards.filter((one) => one === card).length > about.copies);
    if (over !== undefined) return complain("The deck has " + about.copies + " of " + about.cards[over] + " only.");
    list.forEach((seat, place) => { at.cards[seat] = cards[place]; });
  }
  return go(next, true);
}

async function start() {
  try {
    const raw = await unpacked(byId("block").textContent);
    for (const [key, place] of Object.entries(about.arrays)) {
      let values = null;
      numbers[key] = () => values || (values = arrayOf(raw, place));
    }
    if (about.kind === "exact") unfold();
    else {
      const keys = Float64Array.from(numbers.steps());
      for (let place = 1; place < keys.length; place++) keys[place] += keys[place - 1];
      numbers.keys = () => keys;
    }
  } catch (error) {
    const trouble = byId("trouble");
    trouble.textContent = "This browser cannot unpack the numbers of the page (" + error.message + "); one of 2023 or later can.";
    trouble.hidden = false;
    return;
  }
  buildPad();
  readAddress();
  byId("find").hidden = false;
  byId("find").addEventListener("submit", typed);
  const turned = () => {
    if (!readAddress()) return;
    show();
    const { top, bottom } = byId("place").getBoundingClientRect();
    if (top < 0 || bottom > window.innerHeight) byId("explorer").scrollIntoView();
  };
  window.addEventListener("popstate", turned);
  window.addEventListener("hashchange", turned);
  show();
  document.documentElement.dataset.ready = "true";
}

start();
