import { createHash, randomBytes } from "node:crypto";
import { expect, onTestFinished } from "vitest";
import type { Asset, Run, RunState } from "#contract/entities.ts";
import { startFal } from "../../simulators/fal.ts";
import { startOpenAiCompatible } from "../../simulators/openai-compatible.ts";
import type { TestDatabase } from "../databases/databases.ts";
import { testPassword, until } from "../server/instance.ts";
import {
  askServer,
  connectKind,
  createClient,
  makeOnServer,
  runEnds,
  runOnServer,
  type ServerClient,
  setUpServer,
  uploadToServer,
} from "../server/server-client.ts";
import { type ServerProcess, startServer } from "../server/server-process.ts";

export const hashOf = (bytes: Uint8Array): string =>
  createHash("sha256").update(bytes).digest("hex");
/** The number of runs that the connection takes at once. */
const places = 4;
const small = { image_size: { width: 64, height: 64 } };

/**
 * A real server with a run in every state that a copy can contain. `ended` and `upload` are
 * complete with their files; `atProvider` is a job with a known id; `sent` was sent but not
 * answered; `talking` is an answer of which the first words have arrived; `queued` wait for a
 * place.
 * @param onEnd receives the cleanup; by default it runs with the test, unless a hook shares the
 *   server among tests
 */
export async function startBusyStudio(
  database: TestDatabase,
  onEnd: (end: () => Promise<void>) => void = onTestFinished,
) {
  const [openai, fal] = await Promise.all([
    startOpenAiCompatible(),
    startFal({ key: "sim-key-id:a-secret-that-is-looked-for" }),
  ]);
  onEnd(async () => void (await Promise.all([openai.stop(), fal.stop()])));
  const server = await startServer({ dataFolder: database.dataFolder, env: database.env });
  onEnd(() => server.kill9());
  const client = await setUpServer(server);
  const models = {
    chat: {
      connectionId: await connectKind(client, "openai-compatible", {
        api: openai.url,
        key: openai.key,
      }),
      modelId: "sim-chat",
    },
    fal: {
      connectionId: await connectKind(client, "fal", { ...fal.values, mediaPlaces: places }),
      modelId: "sim/flux/dev",
    },
  };
  const make = (prompt: string): Promise<Run> =>
    makeOnServer(client, models.fal, { prompt, ...small });
  const inState = (runId: string, ...states: RunState[]) =>
    until(`run ${runId} is ${states}`, async () =>
      states.includes((await runOnServer(client, runId)).run.state),
    );

  const ended = await make("a finished picture");
  await runEnds(client, ended.id);
  const bytes = randomBytes(200_000);
  const upload: Asset = await uploadToServer(client, "upload.bin", new Uint8Array(bytes));
  const atProvider = await make("at the provider [sim:hold]");
  await inState(atProvider.id, "submitted", "running");
  const sent = await make("sent and not answered [sim:hold-reply]");
  await until(
    "the request came",
    async () => fal.ledger.postsOf("sent and not answered [sim:hold-reply]") === 1,
  );
  // Takes every place of the connection, so that new runs wait.
  const others: Run[] = [];
  for (let n = 2; n < places; n++) others.push(await make(`another ${n} [sim:hold]`));
  for (const other of others) await inState(other.id, "submitted", "running");
  const queued = [await make("waits 1"), await make("waits 2")];
  openai.script({ text: "one two three four", gate: { name: "words", at: 2 } });
  const talking = await askServer(client, models.chat, "count");
  await until(
    "the first words came",
    async () => (await runOnServer(client, talking.run.id)).run.firstOutputAt !== null,
  );

  return {
    openai,
    fal,
    server,
    client,
    models,
    ended,
    upload,
    atProvider,
    sent,
    others,
    queued,
    talking,
    make,
  };
}
export type BusyStudio = Awaited<ReturnType<typeof startBusyStudio>>;

/** The number of POSTs sent to the providers. */
export const postsOf = ({ openai, fal }: Pick<BusyStudio, "openai" | "fal">): number =>
  openai.posts.length + fal.ledger.posts.length;

/**
 * Checks that a copy of the studio, started at `server`, does nothing by itself and lets people
 * approve its runs.
 */
export async function stateOf(
  client: ServerClient,
  runId: string,
): Promise<{ state: RunState; waitingFor: string | null }> {
  const { run } = await runOnServer(client, runId);
  return { state: run.state, waitingFor: run.waitingFor };
}

export const startCopy = async (
  dataFolder: string,
  env: Record<string, string | undefined> = {},
): Promise<ServerProcess> => {
  const server = await startServer({ dataFolder, env });
  onTestFinished(() => server.kill9());
  return server;
};

/** Backups contain no sessions, so the same person signs in again. */
export async function signInAt(server: ServerProcess, projectId: string): Promise<ServerClient> {
  const response = await fetch(`${server.url}/api/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "ada@example.org", password: testPassword }),
  });
  expect(response.status).toBe(200);
  const cookie = response.headers.getSetCookie().map((line) => line.split(";")[0]);
  return createClient(server.url, cookie.join("; "), projectId);
}
