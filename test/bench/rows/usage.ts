import { dayMs } from "#domain/money/usage-range.ts";
import type { Bench } from "../bench.ts";
import { type Figure, p50p99, percentile, type Row } from "../figures.ts";
import { seedUsage, team } from "../seed-usage.ts";
import { openStudio, type Studio } from "../studio.ts";

const boundMs = 50;

async function measure(bench: Bench): Promise<Figure[]> {
  const studio = await openStudio(bench, {
    provider: { tokens: 1, firstTokenMs: 0, betweenMs: 0 },
    seed: (store, { userId }) => seedUsage(store, { userId, now: Date.now() }),
  });
  try {
    return await measureView(studio, bench.long ? 200 : 40);
  } finally {
    await studio.stop();
  }
}

async function measureView({ session }: Studio, times: number): Promise<Figure[]> {
  const today = Math.floor(Date.now() / dayMs);
  const toDay = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);
  const last = (days: number) => ({ from: toDay(today - days + 1), to: toDay(today) });
  const everything = last(team.days);
  const { total } = await session.call("getInstanceUsage", { query: everything });
  if (total.runs !== Math.floor(team.entries / 3))
    throw new Error(`the usage is of ${total.runs} runs`);
  const mine = (query: { from: string; to: string }) => () => session.call("getUsage", { query });
  const all = (query: { from: string; to: string }) => () =>
    session.call("getInstanceUsage", { query });
  return [
    await time("the usage of one's projects, 30 days", times, mine(last(30))),
    await time("the usage of one's projects, everything", times, mine(everything)),
    await time("the usage of the instance, 30 days", times, all(last(30))),
    await time("the usage of the instance, 62 days, day by day", times, all(last(62))),
    await time("the usage of the instance, everything", times, all(everything)),
  ];
}

async function time(what: string, times: number, ask: () => Promise<unknown>): Promise<Figure> {
  await ask();
  const took: number[] = [];
  for (let i = 0; i < times; i++) {
    const since = performance.now();
    await ask();
    took.push(performance.now() - since);
  }
  const value = { p50: percentile(took, 0.5), p99: percentile(took, 0.99) };
  return p50p99(
    `${what}, at 1,000,000 entries`,
    value,
    { p50: boundMs, p99: boundMs },
    "ms",
    `${times} times`,
  );
}

export const usage: Row<Bench> = {
  name: "usage",
  what: "the usage view over a million entries of two years, on the server",
  measure,
};
