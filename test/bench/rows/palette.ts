import type { Bench } from "../bench.ts";
import { atMost, type Figure, type Row } from "../figures.ts";
import { seedHistory } from "../seed-history.ts";
import { measureByTurns, openStudio } from "../studio.ts";

const messages = 100_000;
const boundMs = 50;
/** What is typed into the palette: a first letter, a common word, one that a single message has, and nothing's. */
const queries = ["p", "heron", "number500", "heron quay", "zzz"];

async function measure(bench: Bench): Promise<Figure[]> {
  const studio = await openStudio(bench, {
    provider: { tokens: 1, firstTokenMs: 0, betweenMs: 0 },
    seed: (store, { projectId, userId, connectionId }) =>
      seedHistory(store, {
        count: messages,
        projectIds: [projectId],
        userId,
        connectionId,
        now: Date.now(),
      }),
  });
  try {
    const figures: Figure[] = [];
    for (const q of queries) {
      const [ms = Number.NaN] = await measureByTurns([studio], bench.long ? 60 : 20, {
        ask: ({ session, projectId }) => session.call("search", { query: { projectId, q } }),
      });
      figures.push(
        atMost(`the palette over 100,000 messages: “${q}”, CPU on all threads`, ms, boundMs, "ms"),
      );
    }
    return figures;
  } finally {
    await studio.stop();
  }
}

export const palette: Row<Bench> = {
  name: "palette",
  what: "the command palette's search in a project of 100,000 messages, files and runs",
  measure,
};
