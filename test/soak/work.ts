import { setTimeout as sleep } from "node:timers/promises";
import { v7 as uuid } from "uuid";
import { falFaults } from "../simulators/fal/faults.ts";
import type { Behaviour } from "../simulators/openai-compatible.ts";
import type { TornWay } from "../support/torn-world/way.ts";
import type { Random } from "./random.ts";
import type { SoakStudio } from "./studio.ts";
import { anyFault, anyQuestionFault } from "./torn-line.ts";

/** One person's request: its prompt has exactly the requested runs, or none. */
export type Asked = {
  prompt: string;
  kind: "chat" | "picture" | "job";
  runIds: string[];
  wanted: number;
  refused?: string;
  fault?: string;
};

/**
 * Excludes faults that wait for a release or never end, because each run has to end by itself, and
 * refusals of accepted jobs: a refusal isn't billed, so the job is sent again, and the bill names
 * two.
 */
const leftOut: readonly string[] = ["hold", "output", "429-taken"];
const jobFaults = falFaults.filter((fault) => !leftOut.some((kind) => fault.startsWith(kind)));

const answerFaults: readonly Behaviour[] = [
  { fault: { kind: "reset", at: "request" } },
  { fault: { kind: "reset", at: "head" } },
  { fault: { kind: "reset", at: 2 } },
  { fault: { kind: "status", status: 429, headers: { "retry-after": "1" } } },
  { fault: { kind: "status", status: 500 } },
  {
    fault: {
      kind: "status",
      status: 400,
      body: { error: { message: "no", type: "invalid_request_error" } },
    },
  },
  { fault: { kind: "html" } },
  { fault: { kind: "broken-json" } },
  { fault: { kind: "no-finish", after: 2 } },
  { fault: { kind: "half-character", after: 1 } },
  { fault: { kind: "error-event", after: 1, error: { message: "broke", type: "server_error" } } },
  { splitBytes: 3 },
  { usage: { prompt_tokens: 900, completion_tokens: 100, total_tokens: 1_000, cost: 0.09 } },
];

const people = 10;

/**
 * People at work until stopped: each sends requests, sometimes twice with one key, sometimes
 * canceled.
 * @returns all requests
 */
export async function work(
  studio: SoakStudio,
  random: Random,
  faultShare: number,
  signal: AbortSignal,
): Promise<Asked[]> {
  const all: Asked[] = [];
  await Promise.all(
    Array.from({ length: people }, (_, place) =>
      beAtWork(studio, random, faultShare, place, all, signal),
    ),
  );
  return all;
}

async function beAtWork(
  studio: SoakStudio,
  random: Random,
  faultShare: number,
  place: number,
  all: Asked[],
  signal: AbortSignal,
) {
  for (let turn = 0; !signal.aborted; turn++) {
    const kind = random.pick(["chat", "chat", "picture", "job", "job"] as const);
    const asked = await ask(studio, random, kind, `soak ${place}-${turn}`, faultShare);
    all.push(asked);
    for (const runId of asked.runIds)
      if (random.chance(0.12)) {
        await sleep(random.whole(0, 400));
        await studio.client.persist("cancelRun", { params: { runId } });
      }
    await sleep(random.whole(0, 120));
  }
}

async function ask(
  studio: SoakStudio,
  random: Random,
  kind: Asked["kind"],
  name: string,
  faultShare: number,
): Promise<Asked> {
  const isFaulty = random.chance(faultShare);
  // Ends with a space, so that no name is a prefix of another.
  const prompt = `${name} `;
  const fault = isFaulty ? disturb(studio, random, kind, prompt) : undefined;
  const wanted = kind === "chat" ? 1 : random.pick([1, 1, 1, 3]);
  const asked: Asked = { prompt, kind, runIds: [], wanted, ...(fault && { fault }) };
  const send = kind === "chat" ? await sayer(studio, prompt) : maker(studio, kind, prompt, wanted);
  // A double click, or a browser that retries without an answer: the same key each time.
  const replies = await Promise.all(Array.from({ length: random.chance(0.15) ? 2 : 1 }, send));
  for (const reply of replies) {
    if (reply.status !== 200) asked.refused = `${reply.status} ${JSON.stringify(reply.body)}`;
    else asked.runIds.push(...reply.runIds.filter((id) => !asked.runIds.includes(id)));
  }
  return asked;
}

const ownErrors: Record<"openai" | "fal", TornWay["ownError"]> = {
  openai: (_status, message) => ({
    body: { error: { message, type: "simulated", param: null, code: null } },
  }),
  fal: (status, message) => ({
    body: { detail: message, ...(status >= 500 && { error_type: "internal_error" }) },
  }),
};

/**
 * Half of the faults are the provider's own, half affect its answers in transit.
 * @returns the fault's name
 */
function disturb(
  { fal, openai, lines }: SoakStudio,
  random: Random,
  kind: Asked["kind"],
  prompt: string,
): string {
  if (random.chance(0.5)) {
    if (kind !== "job") {
      const behaviour = random.pick(answerFaults);
      openai.script(behaviour);
      return JSON.stringify(behaviour);
    }
    const fault = random.pick(jobFaults);
    fal.script(prompt, fault);
    return fault;
  }
  const to = kind === "job" ? "fal" : "openai";
  if (kind === "job" && random.chance(0.5)) {
    const fault = anyQuestionFault(random);
    lines.fal.tearQuestion(fault);
    return `a question ${fault.name}`;
  }
  const fault = anyFault(random, ownErrors[to]);
  lines[to].tear(prompt, fault);
  return fault.name;
}

type Sent = { status: number; body: unknown; runIds: string[] };

async function sayer(
  { client, projectId, models }: SoakStudio,
  text: string,
): Promise<() => Promise<Sent>> {
  const begun = await client.persist("createConversation", { body: { projectId } });
  const { conversation } = begun.body as { conversation: { id: string } };
  const idempotencyKey = uuid();
  return async () => {
    const said = await client.persist("sendMessage", {
      params: { conversationId: conversation.id },
      body: { parentId: null, text, ask: { model: models.chat }, idempotencyKey },
    });
    const { run } = said.body as { run?: { id: string } };
    return { ...said, runIds: run ? [run.id] : [] };
  };
}

function maker(
  { client, projectId, models }: SoakStudio,
  kind: "picture" | "job",
  prompt: string,
  variants: number,
): () => Promise<Sent> {
  const input = kind === "job" ? { prompt, image_size: { width: 64, height: 64 } } : { prompt };
  const body = {
    projectId,
    models: [models[kind]],
    task: "image",
    input,
    variants,
    idempotencyKey: uuid(),
  };
  return async () => {
    const made = await client.persist("createRuns", { body });
    const { runs } = made.body as { runs?: { id: string }[] };
    return { ...made, runIds: (runs ?? []).map(({ id }) => id) };
  };
}
