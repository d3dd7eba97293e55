#!/usr/bin/env node
// Kuhn poker as a simulator for hannan: JSON lines over standard input and output.
const readline = require("readline");

const MASK = (1n << 64n) - 1n;
let state = 0n, cards = [], bets = "", drawn = null;

function random(many) { // SplitMix64
  state = (state + 0x9E3779B97F4A7C15n) & MASK;
  let z = state;
  z = ((z ^ (z >> 30n)) * 0xBF58476D1CE4E5B9n) & MASK;
  z = ((z ^ (z >> 27n)) * 0x94D049BB133111EBn) & MASK;
  return Number((z ^ (z >> 31n)) % BigInt(many));
}

function show(view) {
  process.stdout.write(JSON.stringify(view) + "\n");
}

function go() {
  drawn = null;
  if (cards.length < 2) { // chance deals the next card
    const left = [0, 1, 2].filter((card) => !cards.includes(card));
    drawn = left[random(left.length)];
    show({ gains: [0, 0], draw: { outcome: drawn, outcomes: left } });
  } else if (["", "p", "b", "pb"].includes(bets)) {
    const player = bets.length % 2;
    show({ gains: [0, 0], movers: [player], actions: [["p", "b"]], observations: [[cards[player], bets]] });
  } else {
    const folded = bets.endsWith("bp");
    const winner = folded ? bets.length % 2 : cards[0] > cards[1] ? 0 : 1;
    const gain = (winner === 0 ? 1 : -1) * (bets.endsWith("bb") ? 2 : 1);
    show({ gains: [gain, -gain] });
  }
}

show({ hannan: 1, players: 2, name: "kuhn", bounds: [[-2, 2], [-2, 2]] });
readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const request = JSON.parse(line);
  if (request.reset !== undefined) {
    state = BigInt("0x" + request.reset);
    cards = [];
    bets = "";
  } else if (drawn !== null) {
    cards.push(drawn);
  } else {
    bets += "pb"[request.step[0]];
  }
  go();
});
