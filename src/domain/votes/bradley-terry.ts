/**
 * The model of Bradley and Terry (Rank analysis of incomplete block designs, Biometrika 39, 1952):
 * i beats j with the probability g_i / (g_i + g_j). Fitted by the minorization-maximization of
 * Hunter (MM algorithms for generalized Bradley-Terry models, Annals of Statistics 32, 2004), which
 * improves with each step and needs no step size. Ties count as half a win for both.
 */

/** How often `winner` beat `loser`; 0.5 for a tie. Several entries of a pair add up. */
export type Win = { winner: number; loser: number; count: number };

export type Rating = {
  /** The logarithm of the strength, relative to the prior's average opponent. */
  strength: number;
  /** The average probability of beating the others, from 0 to 1; 0.5 if there are none. */
  score: number;
  /** The 95% confidence interval of the score. */
  low: number;
  high: number;
  /** The number of comparisons with others; a tie counts as one. */
  games: number;
  wins: number;
};

/**
 * The assumed number of games against an average opponent, half of them won. It keeps an undefeated
 * entry's strength finite, and puts groups that never met on one scale.
 */
const priorGames = 1;
const maxSteps = 10_000;
const closeEnough = 1e-10;
/** Standard deviations of a 95% interval. */
const z95 = 1.959964;

/**
 * Rates the entries. The order of the wins doesn't matter.
 * @param size the number of entries; wins refer to them by position
 * @param prior games of each entry against an average opponent; 0 is the plain maximum likelihood,
 *   which exists only if all are connected by wins
 */
export function rate(size: number, wins: readonly Win[], prior = priorGames): Rating[] {
  const won = new Float64Array(size);
  const met = Array.from({ length: size }, () => new Float64Array(size));
  for (const { winner, loser, count } of wins) {
    if (winner === loser) continue;
    won[winner]! += count;
    met[winner]![loser]! += count;
    met[loser]![winner]! += count;
  }
  const strengths = fit(won, met, prior);
  const spread = invert(information(strengths, met, prior));
  return Array.from({ length: size }, (_, i) => ({
    strength: Math.log(strengths[i]!),
    ...scoreOf(i, strengths, spread),
    games: met[i]!.reduce((sum, count) => sum + count, 0),
    wins: won[i]!,
  }));
}

function fit(won: Float64Array, met: readonly Float64Array[], prior: number): Float64Array {
  const size = won.length;
  let strengths = new Float64Array(size).fill(1);
  for (let step = 0; step < maxSteps; step += 1) {
    const next = new Float64Array(size);
    for (let i = 0; i < size; i += 1) {
      const own = strengths[i]!;
      let share = prior / (own + 1);
      for (let j = 0; j < size; j += 1)
        if (met[i]![j]! > 0) share += met[i]![j]! / (own + strengths[j]!);
      next[i] = share === 0 ? own : (won[i]! + prior / 2) / share;
    }
    // Without the prior's opponent only ratios are known, so the geometric mean is set to 1.
    if (prior === 0) {
      const mean = Math.exp(next.reduce((sum, value) => sum + Math.log(value), 0) / size);
      for (let i = 0; i < size; i += 1) next[i]! /= mean;
    }
    const moved = next.reduce(
      (most, value, i) => Math.max(most, Math.abs(Math.log(value / strengths[i]!))),
      0,
    );
    strengths = next;
    if (moved < closeEnough) break;
  }
  return strengths;
}

/**
 * The observed information for the logarithms of the strengths: the negated Hessian of the
 * log-likelihood.
 */
function information(
  strengths: Float64Array,
  met: readonly Float64Array[],
  prior: number,
): number[][] {
  const size = strengths.length;
  const matrix = Array.from({ length: size }, () => new Array<number>(size).fill(0));
  // Without a prior to fix the scale, a tiny one makes the matrix invertible; differences don't
  // depend on it.
  const ground = prior > 0 ? prior : 1e-9;
  for (let i = 0; i < size; i += 1) {
    const own = strengths[i]!;
    matrix[i]![i] = (ground * own) / (own + 1) ** 2;
    for (let j = 0; j < size; j += 1) {
      const other = strengths[j]!;
      const part = (met[i]![j]! * own * other) / (own + other) ** 2;
      if (j === i || part === 0) continue;
      matrix[i]![i]! += part;
      matrix[i]![j] = -part;
    }
  }
  return matrix;
}

/** The score and its interval by the delta method on the logit, which keeps it between 0 and 1. */
function scoreOf(
  i: number,
  strengths: Float64Array,
  spread: readonly (readonly number[])[],
): Pick<Rating, "score" | "low" | "high"> {
  const size = strengths.length;
  if (size < 2) return { score: 0.5, low: 0, high: 1 };
  const slope = new Float64Array(size);
  let score = 0;
  for (let j = 0; j < size; j += 1) {
    if (j === i) continue;
    const chance = strengths[i]! / (strengths[i]! + strengths[j]!);
    const steep = (chance * (1 - chance)) / (size - 1);
    score += chance / (size - 1);
    slope[i]! += steep;
    slope[j]! -= steep;
  }
  let variance = 0;
  for (let a = 0; a < size; a += 1)
    for (let b = 0; b < size; b += 1) variance += slope[a]! * spread[a]![b]! * slope[b]!;
  const width = (z95 * Math.sqrt(Math.max(0, variance))) / (score * (1 - score));
  const logit = Math.log(score / (1 - score));
  return { score, low: logistic(logit - width), high: logistic(logit + width) };
}

const logistic = (value: number): number => 1 / (1 + Math.exp(-value));

/** Inverts a symmetric positive-definite matrix by Gauss-Jordan elimination with pivoting. */
function invert(matrix: readonly (readonly number[])[]): number[][] {
  const size = matrix.length;
  const rows = matrix.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))]);
  for (let column = 0; column < size; column += 1) {
    let pivot = column;
    for (let row = column + 1; row < size; row += 1)
      if (Math.abs(rows[row]![column]!) > Math.abs(rows[pivot]![column]!)) pivot = row;
    [rows[column], rows[pivot]] = [rows[pivot]!, rows[column]!];
    const lead = rows[column]!;
    const by = lead[column]! || Number.MIN_VALUE;
    for (let j = 0; j < 2 * size; j += 1) lead[j]! /= by;
    for (let row = 0; row < size; row += 1) {
      const factor = rows[row]![column]!;
      if (row === column || factor === 0) continue;
      for (let j = 0; j < 2 * size; j += 1) rows[row]![j]! -= factor * lead[j]!;
    }
  }
  return rows.map((row) => row.slice(size));
}
