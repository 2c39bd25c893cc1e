// The strategy explorer: reads the numbers of the page, and walks the betting tree.
"use strict";
(() => {
  const END = 0, INSIDE = 1;
  const BEST = 1 << 15, ON_PATH = 1 << 7, THEIRS = 1 << 6, BASIS = 4, SHOWN = 1023;
  const PLAYED = 10; // 1 %: from there on somebody plays an action
  const about = JSON.parse(byId("about").textContent);
  const at = { hand: about.start, deal: 0, path: [], card: "", all: false };
  let raw = null, lay = () => {};

  // Reading.

  function lazily(place) {
    let values = null;
    return () => values || (values = arrayOf(raw, place));
  }

  function open(hand) {
    const state = arrayOf(raw, hand.state), ways = arrayOf(raw, hand.ways);
    const places = [0, 0], rows = [0, 0];
    hand.list = [];
    let next = 1, all = 0;
    for (let node = 0; node < state.length; node++) {
      const [player, actions] = hand.states[state[node]];
      const kids = actions.map(() => {
        const way = ways[all++];
        return way === INSIDE ? next++ : way === END ? -1 : -2;
      });
      hand.list.push({ node, player, kids, actions, place: places[player]++, row: rows[player] });
      rows[player] += actions.length;
    }
    for (const name of Object.keys(hand.chips)) hand.chips[name] = arrayOf(raw, hand.chips[name]);
    for (const one of hand.classes) {
      one.reach = lazily(one.reach);
      one.mean = lazily(one.mean);
      for (const player of one.players) {
        for (const name of Object.keys(player)) player[name] = lazily(player[name]);
      }
    }
  }

  // Values are written as every other output writes them.
  function worth(value, hand) {
    return hand.chance ? (value / 100).toFixed(2) + " %" : signed(value);
  }

  function words(token) { return token[1]; }

  function name(player) {
    const persons = about.hands[at.hand].persons;
    return "P" + (player + 1) + (persons ? " (" + persons[player] + ")" : "");
  }

  // Where we are.

  function follow(hand, path) {
    let node = hand.list.length ? 0 : -1;
    const steps = [];
    for (const token of path) {
      if (node < 0) return { trouble: node === -2 ? "cut" : "over", steps };
      const here = hand.list[node];
      const choice = here.actions.findIndex((number) => hand.tokens[number][0] === token);
      if (choice < 0) return { trouble: "none", token, steps };
      steps.push({ here, choice, token: hand.tokens[here.actions[choice]] });
      node = here.kids[choice];
    }
    return { node, steps };
  }

  // Tokens that are typed without spaces; a word that is no row of tokens stays whole.
  function apart(word) {
    const parts = word.match(/(?:front:|back:)?(?:allin|both|[br]\d*|[kcf]|\d+)|front|back/g) || [];
    return parts.join("") === word ? parts : [word];
  }

  function understood(hand, text) {
    const plain = text.toLowerCase()
      .replace(/all[-\s]in/g, "allin").replace(/both[-\s]sides/g, "both")
      .replace(/(?<![a-z])(b)et(?:\s+(?=\d))?|(?<![a-z])(r)aise(?:\s+by)?(?:\s+(?=\d))?/g, "$1$2")
      .replace(/(?<![a-z])call\b/g, "c").replace(/(?<![a-z])fold\b/g, "f").replace(/(?<![a-z])check\b/g, "k")
      .replace(/(?<![a-z])f\s*:\s*/g, "front:").replace(/(?<![a-z])b\s*:\s*/g, "back:")
      .replace(/(?<![a-z])(front|back)\s*:\s*/g, "$1:");
    const path = [];
    for (const word of plain.split(/[\s,;]+/).filter(Boolean).flatMap(apart)) {
      const { node, trouble } = follow(hand, path);
      if (trouble || node < 0) return { path, word, over: node === -1, cut: node === -2 };
      const tokens = hand.list[node].actions.map((number) => hand.tokens[number]);
      // A size alone is a bet, and after a bet a raise.
      const bare = /^((?:front:|back:)?)(\d+)$/.exec(word);
      const found = tokens.find((token) => token[0] === word || (bare && [bare[1] + "b" + bare[2], bare[1] + "r" + bare[2]].includes(token[0]))) || tokens.find((token) =>
        token[0].endsWith("allin") && token[0].replace("allin", "b" + token[2]) === (bare ? bare[1] + "b" + bare[2] : word.replace(/r(\d+)$/, "b$1")));
      if (!found) return { path, word, offered: tokens.map((token) => token[0]) };
      path.push(found[0]);
    }
    return { path };
  }

  function address(path, card) {
    const parts = ["h=" + path.map(encodeURIComponent).join("+")];
    if (about.hands.length > 1 && !about.compare) parts.push("s=" + (at.hand + 1));
    const hand = about.hands[at.hand];
    if (hand.deals.length > 1) parts.push("d=" + encodeURIComponent(hand.deals[at.deal].board));
    if (card) parts.push("see=" + encodeURIComponent(card));
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
    at.hand = Math.min(Math.max((parseInt(given.s, 10) || about.start + 1) - 1, 0), about.hands.length - 1);
    const deals = about.hands[at.hand].deals;
    at.deal = Math.max(0, deals.findIndex((deal) => deal.board === plain(given.d || "")));
    at.path = (given.h || "").split("+").map(plain).filter(Boolean);
    at.card = plain(given.see || "");
    return true;
  }

  function go(path, card, focus) {
    const target = address(path, card);
    if (target !== location.hash) history.pushState(null, "", target);
    at.path = path;
    at.card = card;
    show();
    if (focus) byId("where").focus({ preventScroll: true });
  }

  // What a spot says.

  function spotOf(hand, deal, here) {
    const group = hand.classes[deal.class];
    const numbers = group.players[here.player];
    const order = deal.order[here.player];
    const names = deal.observations[here.player];
    const width = names.length, count = here.actions.length;
    const probability = numbers.probability(), ev = numbers.ev(), place = numbers.place();
    const rows = order.map((column) => ({
      column,
      name: names[column],
      cells: here.actions.map((_, choice) => {
        const index = (here.row + choice) * width + column;
        return { code: probability[index] & SHOWN, best: (probability[index] & BEST) !== 0, place: place[index], ev: ev[index] };
      }),
      ev: numbers.row()[here.place * width + column],
      own: numbers.own()[here.place * width + column],
      other: numbers.other()[here.place * width + column],
      source: numbers.source()[here.place * width + column],
      once: numbers.once()[here.place * width + column],
    }));
    const share = numbers.share();
    const kept = numbers.keptRow();
    for (const row of rows) {
      const place = kept.indexOf(here.place * width + row.column);
      if (place >= 0) row.kept = { told: about.kept[numbers.keptForm()[place]], lost: numbers.lost()[place] };
    }
    return {
      hand, deal, here, rows,
      tokens: here.actions.map((number) => hand.tokens[number]),
      share: here.actions.map((_, choice) => share[here.row + choice]),
      count,
      mean: group.mean()[here.node],
      reach: group.reach()[here.node],
    };
  }

  // What the player believes of the card not seen: prior times the other's reach, given the own observation. Some rows
  // assume a reach of their own.
  function belief(spot, column) {
    const { deal, here, hand } = spot;
    const group = hand.classes[deal.class], player = here.player;
    const others = deal.observations[1 - player];
    const numbers = group.players[player];
    const own = numbers.assumedRow().indexOf(here.place * deal.observations[player].length + column);
    const reach = own < 0 ? numbers.believed() : numbers.assumed(), from = (own < 0 ? here.place : own) * others.length;
    const weights = others.map((_, y) => (player === 0 ? group.prior[column][y] : group.prior[y][column]) * reach[from + y]);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return weights.map((weight) => weight / total);
  }

  // The same by the deck and the own observation alone.
  function byDeck(spot, column) {
    const { deal, here, hand } = spot, prior = hand.classes[deal.class].prior;
    const weights = deal.observations[1 - here.player].map((_, y) => here.player === 0 ? prior[column][y] : prior[y][column]);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return weights.map((weight) => weight / total);
  }

  // What a weak belief rests on, in words; "" where play comes here.
  function warning(hand, row) {
    const basis = (row.source >> BASIS) & 3, theirs = row.source & THEIRS ? 1 : 0, never = row.once === 0 ? 1 : 0;
    return hand.warnings[4 * basis + 2 * theirs + never].replace("{}", row.once.toLocaleString("en"));
  }

  function sidesOf(path) {
    const sides = ["", ""];
    path.forEach((token, place) => {
      const side = token === "both" ? "both" : token.includes(":") ? token.split(":")[0] : token === "front" || token === "back" ? token : "";
      sides[place % 2] = sides[place % 2] || side;
    });
    return sides;
  }

  function showdown(spot, column, chances) {
    const player = spot.here.player, signs = spot.deal.signs;
    const odds = (key) => {
      const sums = { w: 0, t: 0, l: 0 };
      chances.forEach((chance, y) => {
        const letter = player === 0 ? signs[key][column][y] : signs[key][y][column];
        const mine = player === 0 ? letter : letter === "w" ? "l" : letter === "l" ? "w" : letter;
        if (mine in sums) sums[mine] += chance;
      });
      return { ...sums, key };
    };
    if ("" in signs) return odds("");
    const sides = sidesOf(at.path);
    if (!sides[1 - player]) return null;
    const options = (sides[player] ? [sides[player]] : ["front", "back"]).map((own) =>
      odds(player === 0 ? own + " " + sides[1] : sides[0] + " " + own));
    return options.reduce((best, one) => (one.w > best.w ? one : best));
  }

  // Showing.

  function show() {
    const hand = about.hands[at.hand];
    byId("deal").value = String(at.deal);
    byId("hand").value = String(at.hand);
    const hands = about.compare ? about.hands : [hand];
    const board = hand.deals.length ? hand.deals[at.deal].board : "";
    showPath(hands);
    byId("found").textContent = "";
    const panels = byId("panels");
    panels.textContent = "";
    panels.classList.toggle("two", hands.length > 1);
    const spots = [], boxes = [];
    for (const one of hands) {
      const deal = one === hand ? hand.deals[at.deal] : one.deals.find((other) => other.board === board);
      const panel = make("div", { class: "panel" });
      if (hands.length > 1) panel.append(make("h4", { text: one.name }));
      const found = follow(one, at.path);
      if (!deal) panel.append(make("p", { text: "This solution has no such " + one.boardWord + "." }));
      else if (found.trouble || found.node < 0) panel.append(make("p", { text: ending(one, found) }));
      else {
        spots.push(spotOf(one, deal, one.list[found.node]));
        boxes.push(panel);
      }
      panels.append(panel);
    }
    // Side by side both tables have the same columns.
    const tokens = new Set(spots.flatMap((spot) => spot.tokens.filter((_, choice) => isPlayed(spot, choice)).map(([token]) => token)));
    const laid = spots.map((spot, place) => panelOf(spot, tokens, boxes[place]));
    lay = () => laid.forEach((one) => one());
    lay();
    const first = spots[0] || null;
    heading(hand, first);
    const input = byId("history");
    if (document.activeElement !== input) input.value = at.path.join(" ");
    const card = byId("card"), names = first ? first.rows.map((row) => row.name) : [];
    card.textContent = "";
    for (const one of names) card.append(make("option", { text: one, value: one }));
    if (names.includes(at.card)) card.value = at.card;
  }

  function isPlayed(spot, choice) {
    return spot.rows.some(({ cells }) => cells[choice].code >= PLAYED && cells[choice].code !== TRACED);
  }

  function ending(hand, found) {
    if (found.trouble === "none") {
      const player = hand.list.length ? name(found.steps.length % 2) : "Nobody";
      return player + " is not offered " + found.token + " in this solution.";
    }
    if (found.node === -2 || found.trouble === "cut") {
      return "Play comes here too seldom for this page: " + cutText(hand);
    }
    if (!found.steps.length) return "Nobody acts in this hand: the antes are all-in, and it is a showdown at once.";
    const last = found.steps[found.steps.length - 1], who = name(last.here.player);
    const fold = last.token[0] === "f";
    return "The hand is over: " + who + (fold ? " folds, and " + name(1 - last.here.player) + " takes the pot."
      : " plays " + words(last.token) + ", and it is a showdown.");
  }

  function cutText(hand) {
    return "it holds the " + hand.nodes.toLocaleString("en") + " of " + hand.total.toLocaleString("en") +
      " histories to which a player's own actions lead at least once in " +
      Math.round(1 / hand.threshold).toLocaleString("en") + " times. The tables and forehead show have the rest.";
  }

  function showPath(hands) {
    const list = byId("path");
    list.textContent = "";
    const reached = hands.map((hand) => follow(hand, at.path)).sort((a, b) => b.steps.length - a.steps.length)[0];
    const steps = [{ label: "start", path: [] }];
    reached.steps.forEach((step, place) => {
      steps.push({ who: name(step.here.player), label: words(step.token), path: at.path.slice(0, place + 1) });
    });
    steps.forEach((step, place) => {
      const last = place === steps.length - 1;
      const item = make(last ? "span" : "a", last ? { "aria-current": "step" } : { href: address(step.path, at.card) });
      if (step.who) item.append(make("b", { text: step.who + " " }));
      item.append(step.label);
      list.append(make("li", {}, item));
    });
  }

  function heading(hand, spot) {
    const where = byId("where"), facts = byId("facts"), answer = byId("answer");
    facts.textContent = answer.textContent = "";
    if (!spot) {
      where.textContent = at.path.length ? "After " + at.path.join(" ") : hand.name;
      return;
    }
    const { here } = spot, who = name(here.player), other = name(1 - here.player);
    where.textContent = who + (at.path.length ? " to act after " + at.path.join(" ") : " acts first");
    const chips = (key) => spot.hand.chips[key] ? String(spot.hand.chips[key][here.node]) : null;
    const told = [["Pot", chips("pot")], ["to call", chips("to_call")], [who + " has left", chips("own")], [other + " has left", chips("other")]];
    if (!about.compare) {
      told.push(["a hand comes here", stated(spot.reach)], ["EV for " + who, worth(spot.mean, spot.hand) + " " + (spot.hand.chance ? "to win the match" : spot.hand.unit)]);
    }
    told.filter(([, value]) => value !== null).forEach(([label, value], place) => {
      if (place) facts.append(" · ");
      facts.append(label + " ", make("b", { text: value }));
    });
    const row = spot.rows.find((one) => one.name === at.card);
    if (row && !about.compare) answer.append(who + ", " + hand.sees + " " + row.name + ": ", make("b", { text: answerOf(spot, row) }));
  }

  // What to play, in a sentence: the likeliest first.
  function answerOf(spot, row) {
    const played = row.cells.map(({ code }, choice) => ({ code, told: words(spot.tokens[choice]) }))
      .filter(({ code }) => code !== 0 && code !== TRACED).sort((a, b) => b.code - a.code);
    if (played.length === 1) return "always " + played[0].told + ".";
    return played.map(({ code, told }) => told + " " + percent(code)).join(", ") + ": a mix, to be drawn and not averaged.";
  }

  // Puts a spot into its panel, and returns what lays its table out by the width there is.
  function panelOf(spot, tokens, panel) {
    const chosen = spot.rows.find((row) => row.name === at.card) || spot.rows[0];
    const every = spot.tokens.map((_, choice) => choice);
    const some = every.filter((choice) => tokens.has(spot.tokens[choice][0]));
    const folded = some.length ? every.filter((choice) => !some.includes(choice)) : [];
    const choices = at.all || !some.length ? every : some;
    const side = make("aside", { class: "card", "aria-label": "Seeing " + chosen.name });
    fill(side, spot, chosen);
    const box = make("div", { class: "scroll", role: "group", "aria-label": "Strategy table" });
    const whole = make("div", { class: "spot" }, make("div", { class: "play" }, box, folded.length ? foldOf(spot, folded) : null, legend(spot)), side);
    for (const child of [whole, matrix(spot)]) if (child) panel.append(child);
    return () => {
      const held = box.contains(document.activeElement) ? document.activeElement.id : "";
      Layout.fit(whole, box, choices.length, (places) => table(spot, chosen, places.map((place) => choices[place]), choices));
      if (held && byId(held)) byId(held).focus({ preventScroll: true });
    };
  }

  // What nobody plays: each action can be gone on from, and all can be shown as columns.
  function foldOf(spot, folded) {
    const toggle = make("button", { type: "button", class: "fold", "aria-expanded": String(at.all), click: () => {
      at.all = !at.all;
      show();
      const again = document.querySelector(".fold");
      if (again) again.focus({ preventScroll: true });
    } });
    toggle.textContent = at.all ? "Fold away what nobody plays" : folded.length === 1 ? "Show its column" : "Show their " + folded.length + " columns";
    if (at.all) return make("p", { class: "folded" }, "All actions are shown, those too that no row plays with 1 % or more. ", toggle);
    return make("p", { class: "folded" }, "Folded away, as no row plays it with 1 % or more: ",
      ...folded.flatMap((choice) => [take(spot, choice), " "]), toggle);
  }

  function legend(spot) {
    const off = spot.rows.some((row) => !(row.source & ON_PATH));
    return make("p", { class: "facts legend" }, make("span", { class: "best-mark", text: "●" }), " best within what the solution can tell; a dash is never." +
      (off ? " * off the path: play comes here less than once in 1,000 hands." : ""));
  }

  // The button that goes on after an action.
  function take(spot, choice) {
    const token = spot.tokens[choice], end = spot.here.kids[choice] === -1;
    const label = "Go on after " + words(token) + (end ? ", which ends the hand" : "");
    return make("button", {
      type: "button", id: "take-" + spot.hand.place + "-" + token[0], class: end ? "take end" : "take", "data-action": token[0], text: words(token), title: label,
      "aria-label": label, click: () => go([...at.path, token[0]], at.card, true),
    });
  }

  // A table of some choices; where all do not fit side by side, the first band has the buttons of the rows.
  function table(spot, chosen, choices, all) {
    const { hand, here, tokens } = spot;
    const begins = choices[0] === all[0], ends = choices[choices.length - 1] === all[all.length - 1];
    const quiet = (...cells) => (ends ? cells : []);
    const head = make("tr", {}, make("th", { scope: "col", text: hand.sees }));
    for (const choice of choices) head.append(make("th", { scope: "col" }, take(spot, choice)));
    head.append(...quiet(...["EV", "own reach", "other's"].map((text) => make("th", { scope: "col", class: "quiet" + (text === "EV" ? "" : " reach"), text }))));
    const body = make("tbody", {});
    for (const row of spot.rows) {
      const star = row.source & ON_PATH ? "" : " *";
      const title = begins ? make("button", { type: "button", id: "row-" + hand.place + "-" + row.name, class: "row", text: row.name + star, "aria-pressed": String(row === chosen) })
        : make("span", { class: "row", text: row.name + star });
      const line = make("tr", { "data-row": row.name, class: row === chosen ? "chosen" : "", click: () => go(at.path, row.name, false) },
        make("th", { scope: "row" }, title));
      for (const choice of choices) {
        const cell = row.cells[choice];
        line.append(make("td", {
          class: "cell" + (cell.best ? " best" : "") + (cell.code ? "" : " never"), part: part(cell.code), "data-action": tokens[choice][0],
        }, make("b", { text: percent(cell.code) }), make("small", { text: worth(cell.ev, hand) })));
      }
      line.append(...quiet(make("td", { class: "quiet", text: worth(row.ev, hand) }), make("td", { class: "quiet reach", text: percent(row.own) }),
        make("td", { class: "quiet reach", text: percent(row.other) })));
      body.append(line);
    }
    const foot = make("tr", {}, make("th", { scope: "row", text: "overall" }));
    for (const choice of choices) {
      const share = spot.share[choice];
      foot.append(make("td", { class: "cell", part: part(share), "data-action": tokens[choice][0] }, make("b", { text: percent(share) })));
    }
    foot.append(...quiet(make("td", { class: "quiet", text: worth(spot.mean, hand) }), make("td", { class: "quiet reach", colspan: "2", text: "hands: " + stated(spot.reach) })));
    const told = begins ? name(here.player) + ": how often to play each action, below it its EV in " + hand.unit + ", by what is seen. An action's name goes on to what follows."
      : name(here.player) + ": the other actions.";
    return make("table", { class: "grid" }, make("caption", { text: told }), make("thead", {}, head), body, make("tfoot", {}, foot));
  }

  function fill(side, spot, row) {
    const { hand } = spot;
    side.append(make("h4", { text: name(spot.here.player) + ", " + hand.sees + " " + row.name }));
    const played = row.cells.map((cell, choice) => ({ ...cell, token: spot.tokens[choice] }));
    const answer = answerOf(spot, row);
    side.append(make("p", { class: "say", text: answer[0].toUpperCase() + answer.slice(1) }));
    const ranked = [...played].sort((a, b) => a.place - b.place);
    const list = make("tbody", {});
    for (const one of ranked) {
      list.append(make("tr", {}, make("th", { scope: "row" }, words(one.token), one.best ? make("span", { class: "best-mark", text: " ●", title: "best" }) : null),
        make("td", {}, make("span", { class: "bar", part: part(one.code) })),
        make("td", { class: "number", text: percent(one.code) }), make("td", { class: "number", text: worth(one.ev, hand) })));
    }
    side.append(make("table", { class: "bars answer" }, make("caption", { text: "play, and EV (" + hand.unit + "), best first" }), list));
    const chances = belief(spot, row.column);
    const order = spot.deal.order[1 - spot.here.player], names = spot.deal.observations[1 - spot.here.player];
    const held = make("tbody", {});
    for (const column of order) {
      if (chances[column] <= 0) continue;
      held.append(make("tr", { "data-card": names[column] }, make("th", { scope: "row", text: names[column] }), make("td", {}, make("span", { class: "bar", part: chances[column] })),
        make("td", { class: "number", text: percent(coded(chances[column])) })));
    }
    const heldTable = make("table", { class: "bars held" }, make("caption", { text: hand.other + ", given the deck and the actions" }), held);
    side.append(names.length > 20 ? make("details", {}, make("summary", { text: hand.other + ", card by card" }), heldTable) : heldTable);
    const told = byDeck(spot, row.column), weak = warning(hand, row);
    if (weak) {
      side.append(make("p", { class: "weak", text: weak + (names.length > 20 ? "" : " By the deck alone: " +
        order.filter((column) => told[column] > 0).map((column) => names[column] + " " + percent(coded(told[column]))).join(", ") + ".") }));
    }
    const odds = showdown(spot, row.column, chances);
    if (odds) {
      const sides = odds.key ? " (" + (spot.here.player ? odds.key.split(" ")[1] : odds.key.split(" ")[0]) + " against " + (spot.here.player ? odds.key.split(" ")[0] : odds.key.split(" ")[1]) + ")" : "";
      side.append(make("p", { class: "odds" }, "A showdown now" + sides + ": win ", make("b", { text: stated(coded(odds.w)) }), ", tie ", make("b", { text: stated(coded(odds.t)) }), ", lose ", make("b", { text: stated(coded(odds.l)) }), "."));
    }
    const costs = Object.entries(spot.deal.costs);
    const left = hand.chips.own ? hand.chips.own[spot.here.node] : Infinity;
    const risks = costs.map(([card, cost]) => [card, Math.min(cost, left), chances[names.indexOf(card)] || 0, told[names.indexOf(card)] || 0]).filter(([, cost, , before]) => cost && before > 0);
    if (risks.length && spot.tokens.some((token) => token[0] === "f")) {
      const mean = (place) => risks.reduce((sum, risk) => sum + risk[1] * risk[place], 0).toFixed(2);
      const alone = (text) => weak ? text + " by the deck alone" : "";
      side.append(make("p", { class: "risk", text: "Folding costs " + risks.map(([card, cost, chance, before]) => cost + " more chips holding " + card + " (" + stated(coded(chance)) + alone(", " + stated(coded(before))) + ")").join(", ") +
        ": " + mean(2) + " chips on average" + (weak ? " (" + alone(mean(3)) + ")" : "") + "." }));
    }
    side.append(make("p", { text: "EV of this row as it is played: " + worth(row.ev, hand) + " " + (hand.chance ? "to win the match" : hand.unit) + "." }));
    const reach = "Reach: own " + stated(row.own) + ", other's " + stated(row.other) + ". ";
    const known = (row.source & ((1 << BASIS) - 1)) !== about.unknown;
    const where = row.source & ON_PATH ? "On the equilibrium path" : "Off the equilibrium path";
    side.append(make("p", { class: "trust", text: reach + where + (known && row.source & ON_PATH ? "" : ": " + sourceOf(spot, row)) + "." }));
  }

  // Where a row off the path comes from, and what that costs.
  function sourceOf({ hand }, row) {
    if (!row.kept) return about.sources[row.source & ((1 << BASIS) - 1)];
    const { told, lost } = row.kept;
    return told.replace("{}", hand.chance ? (lost / 100).toFixed(2) + " % of the match" : (lost / 10000).toFixed(4) + " " + hand.unit);
  }

  function matrix(spot) {
    const others = spot.deal.observations[1 - spot.here.player], order = spot.deal.order[1 - spot.here.player];
    if (others.length > 20) return null;
    const table = make("table", { class: "matrix" });
    const box = make("details", { class: "beliefs" }, make("summary", { text: spot.hand.other + " after these actions, for everything that may be seen" }), make("div", { class: "scroll" }, table));
    box.addEventListener("toggle", () => {
      if (!box.open || table.childElementCount) return;
      table.append(make("caption", { text: "a row is what is seen, a column " + spot.hand.other.toLowerCase() }));
      table.append(make("thead", {}, make("tr", {}, make("th", { scope: "col", text: spot.hand.sees }), ...order.map((y) => make("th", { scope: "col", text: others[y] })))));
      const body = make("tbody", {});
      for (const row of spot.rows) {
        const chances = belief(spot, row.column);
        body.append(make("tr", {}, make("th", { scope: "row", text: row.name }), ...order.map((y) => make("td", { part: chances[y], text: percent(coded(chances[y])) }))));
      }
      table.append(body);
    });
    return box;
  }

  // Choosers.

  function deals() {
    const hand = about.hands[at.hand], choice = byId("deal");
    choice.textContent = "";
    hand.deals.forEach((deal, place) => choice.append(make("option", { value: String(place), text: deal.board })));
    byId("deal-choice").hidden = hand.deals.length < 2;
    byId("deal-word").textContent = hand.boardWord;
    byId("card-word").textContent = hand.sees;
    byId("history").placeholder = example(hand).join(" ");
  }

  // A history of two actions that this game has, the ones played most.
  function example(hand) {
    const path = [];
    for (let node = hand.list[0]; node && path.length < 2;) {
      const share = hand.classes[0].players[node.player].share();
      const often = (choice) => (node.kids[choice] >= 0 ? 1 : 0) * (1 + part(share[node.row + choice]));
      const choice = node.actions.reduce((best, _, other) => (often(other) > often(best) ? other : best), 0);
      path.push(hand.tokens[node.actions[choice]][0]);
      node = hand.list[node.kids[choice]];
    }
    return path;
  }

  async function start() {
    try {
      raw = await unpacked(byId("block").textContent);
    } catch (error) {
      const trouble = byId("trouble");
      trouble.textContent = "This browser cannot unpack the numbers of the page (" + error.message + "); one of 2023 or later can.";
      trouble.hidden = false;
      return;
    }
    about.hands.forEach((hand, place) => { hand.place = place; open(hand); });
    about.hands.forEach((hand, place) => byId("hand").append(make("option", { value: String(place), text: hand.name })));
    if (about.hands[at.hand].persons) byId("hand-word").textContent = "hand";
    byId("hand-choice").hidden = about.hands.length < 2 || about.compare;
    readAddress();
    deals();
    byId("find").hidden = false;
    byId("find").addEventListener("submit", (event) => {
      event.preventDefault();
      const found = understood(about.hands[at.hand], byId("history").value);
      const card = byId("card").value;
      go(found.path, card, !found.word);
      if (!found.word) byId("answer").scrollIntoView({ block: "nearest" });
      if (!found.word) return;
      byId("found").textContent = "“" + found.word + "” is not offered " + (found.path.length ? "after " + found.path.join(" ") : "at the start") +
        (found.over ? ": the hand is over there." : found.cut ? ": this page is cut there." : "; offered: " + found.offered.join(" ") + ".");
    });
    byId("card").addEventListener("change", () => go(at.path, byId("card").value, false));
    byId("deal").addEventListener("change", () => { at.deal = Number(byId("deal").value); go(at.path, at.card, false); });
    byId("hand").addEventListener("change", () => { at.hand = Number(byId("hand").value); at.deal = 0; deals(); go([], at.card, false); });
    document.addEventListener("click", (event) => {
      const link = event.target.closest("a[href^='#h=']");
      if (!link || byId("explorer").contains(link)) return;
      // The answer stands above: a link below leads up to it.
      window.setTimeout(() => { byId("explorer").scrollIntoView(); byId("where").focus({ preventScroll: true }); });
    });
    const moved = () => { if (readAddress()) { deals(); show(); } };
    window.addEventListener("popstate", moved);
    window.addEventListener("hashchange", moved);
    show();
    Layout.onWidth(byId("panels"), () => lay());
    document.documentElement.dataset.ready = "true";
  }

  start();
})();
