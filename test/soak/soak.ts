import { mkdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { audit, type Tally } from "./audit.ts";
import { type Harm, harm } from "./chaos.ts";
import { type Decided, decide } from "./decide.ts";
import { examine } from "./examine.ts";
import { createRandom } from "./random.ts";
import { type DatabaseName, openSoakStudio, type Provider, type SoakStudio } from "./studio.ts";
import { work } from "./work.ts";

export type SoakOptions = {
  database: DatabaseName;
  minutes: number;
  seed: number;
  faultShare: number;
  folder: string;
};
export type Soaked = SoakOptions & {
  tally: Tally;
  harm: Harm;
  ends: Decided["ends"];
  at: Date;
};

const minute = 60_000;
/** How long the last requests have to end. */
const quietMs = 4 * minute;

/** Work with faults for a given time, then quiet, then the audit. */
export async function soak(options: SoakOptions): Promise<Soaked> {
  const { database, minutes, seed, faultShare, folder } = options;
  mkdirSync(folder, { recursive: true });
  const studio = await openSoakStudio(database, folder);
  try {
    const atWork = AbortSignal.timeout(minutes * minute);
    const [asked, done] = await Promise.all([
      work(studio, createRandom(seed), faultShare, atWork),
      harm(studio, createRandom(seed + 1), atWork),
    ]);
    await untilQuiet(studio);
    const decided = await decide(studio, asked, () => untilQuiet(studio));
    await studio.stopServers();
    const examined = await examine(studio);
    const tally = await audit(studio, asked, decided.runIds);
    return {
      ...options,
      tally: { ...tally, findings: [...tally.findings, ...decided.findings, ...examined] },
      harm: done,
      ends: decided.ends,
      at: new Date(),
    };
  } finally {
    await studio.stop();
  }
}

/** Waits until nothing is active; the audit reports what stays open. */
async function untilQuiet({ client, projectId }: SoakStudio): Promise<void> {
  for (const endMs = Date.now() + quietMs; Date.now() < endMs; await sleep(500)) {
    const open = await client.persist("listRuns", {
      query: { projectId, state: "open", limit: "200" },
    });
    const { runs = [] } = open.body as { runs?: { state: string }[] };
    if (runs.every(({ state }) => state === "unconfirmed")) return;
  }
}

const providerNames: Readonly<Record<Provider, string>> = {
  openai: "OpenAI-compatible",
  fal: "fal",
};

/** The text of docs/soak.md above its tables. */
export const toIntroduction = (minutes: number, faultShare: number): string => `# Soak

This page is the latest saved report of \`npm run soak -- --report docs/soak.md\`. On each database, ten people work for ${minutes} minutes.
They request answers, pictures and jobs, repeat some requests with the same idempotency key, and cancel others. ${Math.round(faultShare * 100)}% of the requests meet
a fault. Half of these faults come from the provider. The other half hit its answer in transit: truncated at a seeded byte, replaced or
mislabeled. Meanwhile, the soak kills, stops and freezes servers.

When no run is in progress anymore, fal sends late webhooks for some unconfirmed jobs. A person checks the other unconfirmed runs again, or
resolves them by the provider's bill. An audit then compares what the simulators accepted and billed with what Bottega saved, and
\`doctor --deep\` checks the rest:

- Every billed request belongs to one run.
- Every run was settled once and agrees with its ledger entries.
- Balances and usage add up.
- Every file has its row and its hash, and every row has its file.
- No run is stuck.
`;

export function toReport(soaked: readonly Soaked[]): string {
  return soaked
    .map(({ database, minutes, seed, faultShare, tally, ends, harm, at }) => {
      const { kills, stops, freezes } = harm;
      const unconfirmed = Object.entries(ends).map(
        ([provider, { told, found, decided }]) =>
          `| unconfirmed at ${providerNames[provider as Provider]}: reported late / found / resolved | ${told} / ${found} / ${decided} |`,
      );
      const states = Object.entries(tally.byState)
        .sort(([, a], [, b]) => b - a)
        .map(([state, runs]) => `${state} ${runs}`)
        .join(", ");
      const lines = [
        `## ${database === "sqlite" ? "SQLite, one server" : "PostgreSQL and S3, two servers"}`,
        "",
        `${at.toISOString().slice(0, 10)}, ${minutes} minutes, seed ${seed}, ${Math.round(faultShare * 100)}% of requests met a fault.`,
        "",
        "| | |",
        "|---|---|",
        `| runs | ${tally.runs} (${states}) |`,
        `| POSTs that the simulators accepted | ${tally.posts} |`,
        ...Object.entries(tally.billed).map(
          ([provider, count]) =>
            `| requests that ${providerNames[provider as Provider]} billed | ${count} |`,
        ),
        ...unconfirmed,
        `| servers killed with SIGKILL / stopped / frozen for 42 s | ${kills} / ${stops} / ${freezes} |`,
        `| findings | ${tally.findings.length} |`,
        "",
      ];
      return [
        ...lines,
        ...tally.findings.slice(0, 50).map((finding) => `- seed ${seed}: ${finding}`),
        "",
      ].join("\n");
    })
    .join("\n");
}
