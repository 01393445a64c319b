import { expect, it } from "vitest";
import { shuffledOrder, winsOf } from "./ballots.ts";
import { rate, type Win } from "./bradley-terry.ts";

/**
 * Home and away games of the American League East of 1987 (Agresti, Categorical Data Analysis,
 * table 10.10), by wins of row over column.
 */
const teams = ["Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore"];
const league = [
  [0, 7, 9, 7, 7, 9, 11],
  [6, 0, 7, 5, 11, 9, 9],
  [4, 6, 0, 7, 7, 8, 12],
  [6, 8, 6, 0, 6, 7, 10],
  [6, 2, 6, 7, 0, 7, 12],
  [4, 4, 5, 6, 6, 0, 6],
  [2, 4, 1, 3, 1, 7, 0],
];
const winsIn = (table: readonly (readonly number[])[]): Win[] =>
  table.flatMap((row, winner) => row.map((count, loser) => ({ winner, loser, count })));

/** Random numbers from 0 to 1, the same in each run of the test. */
function randomOf(seed: number) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

it("two models that met are rated by their share of wins", () => {
  const [a, b] = rate(
    2,
    [
      { winner: 0, loser: 1, count: 3 },
      { winner: 1, loser: 0, count: 1 },
    ],
    0,
  );
  expect(a!.score).toBeCloseTo(0.75, 8);
  expect(b!.score).toBeCloseTo(0.25, 8);
  expect(a!.strength - b!.strength).toBeCloseTo(Math.log(3), 8);
  // 1 / sqrt(n p q) is the standard error of a logit.
  expect(a!.high).toBeCloseTo(1 / (1 + Math.exp(-(Math.log(3) + 1.959964 / Math.sqrt(0.75)))), 4);
});

it("gives the published ratings of a baseball league", () => {
  const ratings = rate(teams.length, winsIn(league), 0);
  const over = (name: string) =>
    ratings[teams.indexOf(name)]!.strength - ratings[teams.indexOf("Baltimore")]!.strength;
  expect(over("Milwaukee")).toBeCloseTo(1.58, 2);
  expect(over("Detroit")).toBeCloseTo(1.44, 2);
  expect(over("Toronto")).toBeCloseTo(1.29, 2);
  expect(over("New York")).toBeCloseTo(1.25, 2);
  expect(over("Boston")).toBeCloseTo(1.11, 2);
  expect(over("Cleveland")).toBeCloseTo(0.68, 2);
});

it("at the maximum, each model's expected wins equal its wins", () => {
  const random = randomOf(7);
  for (let round = 0; round < 30; round += 1) {
    const size = 2 + Math.floor(random() * 7);
    const wins = winsIn(
      Array.from({ length: size }, () =>
        Array.from({ length: size }, () => Math.floor(random() * 4)),
      ),
    ).filter(({ winner, loser }) => winner !== loser);
    const ratings = rate(size, wins);
    for (let i = 0; i < size; i += 1) {
      const strength = (place: number) => Math.exp(ratings[place]!.strength);
      const met = wins.filter(({ winner, loser }) => winner === i || loser === i);
      const expected = met.reduce((sum, { winner, loser, count }) => {
        const other = winner === i ? loser : winner;
        return sum + (count * strength(i)) / (strength(i) + strength(other));
      }, 0);
      // Includes the prior's game: half a win against an opponent of strength 1.
      const prior = strength(i) / (strength(i) + 1) - 0.5;
      expect(expected + prior).toBeCloseTo(ratings[i]!.wins, 5);
    }
  }
});

it("the order of the votes and the names change nothing", () => {
  const random = randomOf(11);
  const wins = winsIn(league);
  const straight = rate(7, wins);
  const shuffled = wins.map((win) => ({ win, at: random() })).sort((a, b) => a.at - b.at);
  const again = rate(
    7,
    shuffled.map(({ win }) => win),
  );
  const mirrored = rate(
    7,
    wins.map(({ winner, loser, count }) => ({ winner: 6 - winner, loser: 6 - loser, count })),
  );
  for (const [i, { score, low, high }] of straight.entries()) {
    expect([again[i]!.score, again[i]!.low, again[i]!.high]).toEqual([
      expect.closeTo(score, 8),
      expect.closeTo(low, 8),
      expect.closeTo(high, 8),
    ]);
    expect(mirrored[6 - i]!.score).toBeCloseTo(score, 8);
  }
});

it("a model that never lost has a finite rating, and more wins narrow the interval", () => {
  const few = rate(2, [{ winner: 0, loser: 1, count: 2 }])[0]!;
  const many = rate(2, [{ winner: 0, loser: 1, count: 40 }])[0]!;
  for (const { score, low, high } of [few, many]) {
    expect(score).toBeLessThan(1);
    expect(low).toBeLessThan(score);
    expect(high).toBeGreaterThan(score);
    expect(high).toBeLessThan(1);
  }
  expect(many.score).toBeGreaterThan(few.score);
  expect(many.high - many.low).toBeLessThan(few.high - few.low);
});

it("groups that never met, and a model without a game, have ratings", () => {
  const ratings = rate(5, [
    { winner: 0, loser: 1, count: 3 },
    { winner: 2, loser: 3, count: 1 },
  ]);
  for (const { strength, low, high } of ratings)
    expect([strength, low, high].every(Number.isFinite)).toBe(true);
  expect(ratings[4]!.strength).toBeCloseTo(0, 8);
  expect(rate(0, [])).toEqual([]);
  expect(rate(1, [])[0]).toMatchObject({ score: 0.5, games: 0 });
});

it("the interval contains the true value nineteen times out of twenty", () => {
  const random = randomOf(3);
  const truth = [0.9, 0.4, 0, -0.5];
  let held = 0;
  const rounds = 200;
  for (let round = 0; round < rounds; round += 1) {
    const wins: Win[] = [];
    for (let game = 0; game < 400; game += 1) {
      const a = Math.floor(random() * 4);
      const b = (a + 1 + Math.floor(random() * 3)) % 4;
      const chance = 1 / (1 + Math.exp(truth[b]! - truth[a]!));
      const isWon = random() < chance;
      wins.push({ winner: isWon ? a : b, loser: isWon ? b : a, count: 1 });
    }
    const { low, high } = rate(4, wins)[0]!;
    const chances = truth.slice(1).map((other) => 1 / (1 + Math.exp(other - truth[0]!)));
    const score = chances.reduce((sum, one) => sum + one, 0) / 3;
    if (score > low && score < high) held += 1;
  }
  expect(held / rounds).toBeGreaterThan(0.9);
});

it("each best result beats all others, best results tie, and no best means no vote", () => {
  const ballot = { entries: [4, 5, 6, 4] };
  expect(winsOf([{ ...ballot, best: [] }])).toEqual([]);
  expect(winsOf([{ ...ballot, best: [1] }])).toEqual([
    { winner: 5, loser: 4, count: 2 },
    { winner: 5, loser: 6, count: 1 },
  ]);
  expect(winsOf([{ entries: [0, 1, 2], best: [0, 2] }])).toEqual([
    { winner: 0, loser: 1, count: 1 },
    { winner: 0, loser: 2, count: 0.5 },
    { winner: 2, loser: 0, count: 0.5 },
    { winner: 2, loser: 1, count: 1 },
  ]);
});

it("excluded results neither win nor lose, and two results of one model aren't compared", () => {
  expect(winsOf([{ entries: [0, null], best: [0] }])).toEqual([]);
  expect(winsOf([{ entries: [null, 1], best: [0] }])).toEqual([]);
  expect(winsOf([{ entries: [3, 3], best: [1] }])).toEqual([]);
});

it("an order has each entry once, is stable for one person, and differs between people", () => {
  const orders = Array.from({ length: 40 }, (_, person) => shuffledOrder(4, `one ${person}`));
  for (const order of orders) expect([...order].sort()).toEqual([0, 1, 2, 3]);
  expect(shuffledOrder(4, "one 3")).toEqual(orders[3]);
  // Every entry comes first for some person.
  expect(new Set(orders.map(([first]) => first)).size).toBe(4);
});
