import { isBilledPost, promptOf } from "./audit.ts";
import type { Provider, SoakStudio } from "./studio.ts";
import type { Asked } from "./work.ts";

/** How one provider's unconfirmed runs ended, by number. */
export type Ends = {
  /** A webhook arrived long afterwards. */
  told: number;
  /** A person checked again, and the provider had it. */
  found: number;
  /** A person decided: the provider has nothing, or can't be asked. */
  decided: number;
};
export type Decided = {
  ends: Record<Provider, Ends>;
  runIds: ReadonlySet<string>;
  findings: string[];
};

const maxDeliveries = 3;
/** Every n-th job is reported a second time. */
const everyJob = 20;

/**
 * Resolves the unconfirmed runs that are left after the quiet: fal reports its jobs late, and a
 * person checks again or decides by the provider's bill.
 * @param untilQuiet waits for active work
 */
export async function decide(
  studio: SoakStudio,
  asked: readonly Asked[],
  untilQuiet: () => Promise<void>,
): Promise<Decided> {
  const findings: string[] = [];
  const none = (): Ends => ({ told: 0, found: 0, decided: 0 });
  const ends: Decided["ends"] = { openai: none(), fal: none() };
  const askedOf = new Map(asked.flatMap((one) => one.runIds.map((id) => [id, one] as const)));
  const endsOf = (id: string): Ends => ends[askedOf.get(id)?.kind === "job" ? "fal" : "openai"];

  const open = await unconfirmed(studio);
  const jobs = asked.filter(({ kind }) => kind === "job");
  const late = jobs.filter(
    ({ runIds }, index) => index % everyJob === 0 || runIds.some((id) => open.includes(id)),
  );
  for (const { prompt } of late) findings.push(...(await tellLate(studio, prompt)));
  await untilQuiet();
  const left = await unconfirmed(studio);
  for (const id of open) if (!left.includes(id)) endsOf(id).told++;

  for (const id of left) {
    const by = await endByHand(studio, id, isBilled(studio, askedOf.get(id)));
    if (by === "found" || by === "decided") endsOf(id)[by]++;
    else findings.push(`run ${id} is unconfirmed, and ${by}`);
  }
  await untilQuiet();
  const still = await unconfirmed(studio);
  findings.push(...still.map((id) => `run ${id} is unconfirmed after it was looked at`));
  return { ends, runIds: new Set(left), findings };
}

/** fal repeats deliveries answered with an error, ten times in two hours; here three times. */
async function tellLate({ fal }: SoakStudio, prompt: string): Promise<string[]> {
  for (let times = 1; ; times++) {
    const refused = (await fal.deliver(prompt)).filter(({ status }) => status !== 200);
    if (refused.length === 0) return [];
    if (times === maxDeliveries || refused.some(({ status }) => status < 500))
      return refused.map(
        ({ requestId, status }) =>
          `the late webhook of job ${requestId} ("${prompt}") was answered ${status}, time ${times}`,
      );
  }
}

/** @returns how it ends, or what prevents it */
async function endByHand(
  { client }: SoakStudio,
  runId: string,
  wasBilled: boolean,
): Promise<string> {
  const params = { runId };
  const seen = await client.persist("getRun", { params });
  const { askable } = seen.body as { askable?: { canLook: boolean } };
  if (askable?.canLook) {
    const looked = await client.persist("lookAgain", { params });
    if (looked.status !== 200)
      return `to look again is answered ${looked.status} ${JSON.stringify(looked.body)}`;
    if ((looked.body as { found: boolean }).found) return "found";
  }
  const outcome = wasBilled ? "made-elsewhere" : "not-made";
  const decided = await client.persist("resolveRun", { params, body: { outcome } });
  return decided.status === 200
    ? "decided"
    : `to decide is answered ${decided.status} ${JSON.stringify(decided.body)}`;
}

/** Whether the provider's bill contains the prompt. */
const isBilled = ({ fal, openai }: SoakStudio, asked: Asked | undefined): boolean =>
  asked?.kind === "job"
    ? fal.ledger.billed.some(({ prompt }) => prompt === asked.prompt)
    : openai.posts.some((post) => isBilledPost(post) && promptOf(post.body) === asked?.prompt);

async function unconfirmed({ client, projectId }: SoakStudio): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { projectId, state: "unconfirmed", limit: "200", ...(cursor && { cursor }) };
    const listed = await client.persist("listRuns", { query });
    const body = listed.body as { runs?: { id: string }[]; next?: string | null };
    ids.push(...(body.runs ?? []).map(({ id }) => id));
    cursor = body.next ?? null;
  }
  return ids;
}
