import { join } from "node:path";
import { openPostgres } from "#store/database/postgres.ts";
import { openSqlite } from "#store/database/sqlite.ts";
import type { Store } from "#store/database/store.ts";
import type { Provider, SoakStudio } from "./studio.ts";
import type { Asked } from "./work.ts";

export type Tally = {
  runs: number;
  byState: Record<string, number>;
  billed: Record<Provider, number>;
  posts: number;
  refused: number;
  findings: string[];
};

const openOf = (studio: SoakStudio): Store =>
  studio.databaseUrl
    ? openPostgres(studio.databaseUrl, () => undefined)
    : openSqlite(join(studio.dataFolder, "bottega.db"), { monotonic: () => performance.now() });

/**
 * Compares what the simulators accepted and billed with the database. `findings` are the
 * contradictions.
 * @param decided runs that a person resolved
 */
export async function audit(
  studio: SoakStudio,
  asked: readonly Asked[],
  decided: ReadonlySet<string>,
): Promise<Tally> {
  const store = openOf(studio);
  try {
    const runs = await store.db
      .selectFrom("run")
      .select(["id", "state", "held_micros", "cost_micros", "attempts", "cancel_requested_at"])
      .where("user_id", "=", studio.userId)
      .execute();
    const attempts = await store.db
      .selectFrom("attempt")
      .select(["run_id", "provider_request_id", "state", "sent_at"])
      .execute();
    const outputs = await store.db
      .selectFrom("output")
      .select(["run_id", "state", "asset_id"])
      .execute();
    const byState: Record<string, number> = {};
    for (const run of runs) byState[run.state] = (byState[run.state] ?? 0) + 1;
    const faultOf = new Map(
      asked.flatMap(({ prompt, fault, runIds }) =>
        [prompt, ...runIds].map((of) => [of, fault] as const),
      ),
    );
    const findings = [
      ...askedOnce(asked, runs),
      ...ended(runs),
      ...billedOnce(studio, asked, { runs, attempts, decided }),
      ...kept(runs, outputs),
      ...(await settledOnce(store, runs)),
    ];
    return {
      runs: runs.length,
      byState,
      billed: {
        openai: studio.openai.posts.filter(isBilledPost).length,
        fal: studio.fal.ledger.billed.length,
      },
      posts: studio.fal.ledger.posts.length + studio.openai.posts.length,
      refused: asked.filter(({ refused }) => refused).length,
      findings: findings.map((finding) => withFault(finding, faultOf)),
    };
  } finally {
    await store.close();
  }
}

/** Adds the fault of the request that a finding names. */
function withFault(finding: string, faultOf: ReadonlyMap<string, string | undefined>): string {
  const [, of = ""] =
    /"(soak [\d-]+ )"|run (\S+)/.exec(finding)?.filter((one) => one !== undefined) ?? [];
  const fault = faultOf.get(of);
  return fault ? `${finding} (fault: ${fault})` : finding;
}

type RunRow = {
  id: string;
  state: string;
  held_micros: number;
  cost_micros: number | null;
  attempts: number;
};
type AttemptRow = {
  run_id: string;
  provider_request_id: string | null;
  state: string;
  sent_at: number | null;
};

/**
 * A key names one request: however often it was sent, it has exactly the requested number of runs,
 * and there are no others.
 */
function askedOnce(asked: readonly Asked[], runs: readonly RunRow[]): string[] {
  const known = new Set(asked.flatMap(({ runIds }) => runIds));
  const wrong = asked
    .filter(
      ({ refused, runIds, wanted, kind }) =>
        !refused &&
        (kind === "job" ? runIds.length < 1 || runIds.length > wanted : runIds.length !== wanted),
    )
    .map(
      ({ prompt, runIds, wanted }) => `"${prompt}" became ${runIds.length} runs and not ${wanted}`,
    );
  const strays = runs
    .filter(({ id }) => !known.has(id))
    .map(({ id }) => `nobody was told of run ${id}`);
  const missing = [...known]
    .filter((id) => !runs.some((run) => run.id === id))
    .map((id) => `run ${id} was acknowledged and is not there`);
  const refusals = asked.flatMap(({ prompt, refused }) =>
    refused ? [`"${prompt}" was refused: ${refused}`] : [],
  );
  return [...wrong, ...strays, ...missing, ...refusals];
}

const ends = ["succeeded", "failed", "cancelled", "unconfirmed"];
const ended = (runs: readonly RunRow[]): string[] =>
  runs.flatMap(({ id, state, held_micros }) => [
    ...(ends.includes(state) ? [] : [`run ${id} is still ${state}`]),
    ...(state !== "unconfirmed" && Number(held_micros) !== 0
      ? [`run ${id} is ${state} and holds ${held_micros}`]
      : []),
  ]);

/**
 * Every billed job belongs to one run, and no request was sent more often than there were sending
 * attempts.
 */
function billedOnce(
  studio: SoakStudio,
  asked: readonly Asked[],
  {
    runs,
    attempts,
    decided,
  }: {
    runs: readonly RunRow[];
    attempts: readonly AttemptRow[];
    decided: ReadonlySet<string>;
  },
): string[] {
  const findings: string[] = [];
  const runsOfPrompt = new Map(asked.map(({ prompt, runIds }) => [prompt, runIds]));
  const stateOf = new Map(runs.map((run) => [run.id, run.state]));
  const ownersOf = Map.groupBy(
    attempts.filter(({ provider_request_id }) => provider_request_id !== null),
    ({ provider_request_id }) => provider_request_id!,
  );
  for (const { requestId, prompt } of studio.fal.ledger.billed) {
    const owners = new Set((ownersOf.get(requestId) ?? []).map(({ run_id }) => run_id));
    if (owners.size > 1) findings.push(`job ${requestId} belongs to ${owners.size} runs`);
    // Its answer was lost, so one of the prompt's runs is unconfirmed or was released by a person.
    const unknown = (runsOfPrompt.get(prompt) ?? []).filter(
      (id) => stateOf.get(id) === "unconfirmed" || decided.has(id),
    );
    if (owners.size === 0 && unknown.length === 0)
      findings.push(`job ${requestId} ("${prompt}") was billed and is no run's`);
  }
  const sentOf = Map.groupBy(
    attempts.filter(({ sent_at }) => sent_at !== null),
    ({ run_id }) => run_id,
  );
  const posts = [
    ...studio.fal.ledger.posts.map(({ prompt }) => prompt),
    ...studio.openai.posts.map(({ body }) => promptOf(body)),
  ];
  for (const [prompt, sent] of Map.groupBy(posts, (prompt) => prompt)) {
    const runIds = runsOfPrompt.get(prompt);
    if (!runIds) {
      findings.push(`"${prompt}" was sent and nobody asked for it`);
      continue;
    }
    // An attempt whose process died may have sent its request without recording it: one more for
    // each.
    const marked = runIds.reduce((sum, id) => sum + (sentOf.get(id)?.length ?? 0), 0);
    const lost = runIds.reduce(
      (sum, id) =>
        sum +
        attempts.filter((one) => one.run_id === id && one.sent_at === null && one.state === "lost")
          .length,
      0,
    );
    const unmarked = runIds.reduce(
      (sum, id) =>
        sum +
        attempts.filter((one) => one.run_id === id && one.sent_at === null && one.state !== "lost")
          .length,
      0,
    );
    if (sent.length > marked + lost + unmarked)
      findings.push(
        `"${prompt}" was sent ${sent.length} times in ${marked + lost + unmarked} attempts`,
      );
  }
  const billedChats = Map.groupBy(studio.openai.posts.filter(isBilledPost), ({ body }) =>
    promptOf(body),
  );
  const billedJobs = Map.groupBy(studio.fal.ledger.billed, ({ prompt }) => prompt);
  const runOf = new Map(runs.map((run) => [run.id, run]));
  for (const [prompt, billed] of [...billedChats, ...billedJobs]) {
    const runIds = runsOfPrompt.get(prompt) ?? [];
    if (billed.length > runIds.length)
      findings.push(`"${prompt}" was billed ${billed.length} times for ${runIds.length} runs`);
    const told = runIds.filter((id) => tellsOfBill(runOf.get(id)));
    if (billed.length > told.length)
      findings.push(
        `"${prompt}" was billed ${billed.length} times, and ${told.length} of its runs tell of it`,
      );
  }
  return findings;
}

/** A refusal in the provider's own shape is never billed. */
export const isBilledPost = ({ billed, state }: { billed: boolean; state: string }): boolean =>
  billed && state !== "refused";

/** The run has its result, is unconfirmed, was canceled, or failed with a cost. */
const tellsOfBill = (run: RunRow | undefined): boolean =>
  run !== undefined && (run.state !== "failed" || Number(run.cost_micros ?? 1) > 0);

export function promptOf(body: unknown): string {
  const { messages, prompt } = (body ?? {}) as {
    messages?: { role: string; content: unknown }[];
    prompt?: string;
  };
  if (prompt) return prompt;
  const last = messages?.findLast(({ role }) => role === "user")?.content;
  if (typeof last === "string") return last;
  return Array.isArray(last) ? last.map((part: { text?: string }) => part.text ?? "").join("") : "";
}

/** A succeeded run has every promised file, or reports the lost one. */
function kept(
  runs: readonly RunRow[],
  outputs: readonly { run_id: string; state: string; asset_id: string | null }[],
): string[] {
  const outputsOf = Map.groupBy(outputs, ({ run_id }) => run_id);
  return runs
    .filter(({ state }) => state === "succeeded")
    .flatMap(({ id }) =>
      (outputsOf.get(id) ?? []).flatMap(({ state, asset_id }) =>
        (state === "stored" && asset_id !== null) || state === "lost"
          ? []
          : [`run ${id} succeeded with an output that is ${state}`],
      ),
    );
}

async function settledOnce(store: Store, runs: readonly RunRow[]): Promise<string[]> {
  const rows = await store.db
    .selectFrom("ledger_entry")
    .select((e) => [
      "run_id",
      "kind",
      e.fn.sum<number | string>("micros").as("micros"),
      e.fn.countAll<number | string>().as("entries"),
    ])
    .groupBy(["run_id", "kind"])
    .execute();
  const findings: string[] = [];
  const of = Map.groupBy(rows, ({ run_id }) => run_id ?? "");
  for (const run of runs) {
    const sum = (kinds: readonly string[]): number =>
      (of.get(run.id) ?? [])
        .filter(({ kind }) => kinds.includes(kind))
        .reduce((total, { micros }) => total + Number(micros), 0);
    const count = (kind: string): number =>
      Number((of.get(run.id) ?? []).find((row) => row.kind === kind)?.entries ?? 0);
    if (sum(["hold", "release"]) !== Number(run.held_micros))
      findings.push(
        `run ${run.id} holds ${run.held_micros}, its books say ${sum(["hold", "release"])}`,
      );
    if (count("spend") > 1) findings.push(`run ${run.id} was settled ${count("spend")} times`);
    const spent = sum(["spend", "overage", "adjust"]);
    if (run.state !== "unconfirmed" && spent !== Number(run.cost_micros ?? 0))
      findings.push(`run ${run.id} cost ${run.cost_micros}, its books say ${spent}`);
  }
  return findings;
}
