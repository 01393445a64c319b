import pg from "pg";
import { startFal } from "../../simulators/fal.ts";
import { startOpenAiCompatible } from "../../simulators/openai-compatible.ts";
import { startS3 } from "../../simulators/s3/s3.ts";
import { createPostgresDatabase } from "../databases/databases.ts";
import { createTempFolder } from "../temp.ts";
import { findFreePort } from "./free-port.ts";
import { until } from "./instance.ts";
import { connectKind, makeOnServer, type ServerClient, setUpServer } from "./server-client.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

export const masterKey = "5f".repeat(32);

/**
 * Two real servers on one PostgreSQL and one bucket, with simulators that both are connected to.
 * `here` and `there` are one session at either. With a `publicUrl` both are behind a proxy that
 * alternates between them; `failpoints` apply to both. A second server with the role `web` only
 * serves people.
 */
export async function startTwoServers(
  options: { publicUrl?: string; failpoints?: string; secondRole?: "web" } = {},
) {
  const { publicUrl, failpoints, secondRole } = options;
  const addresses: string[] = [];
  let calls = 0;
  const reach = (url: string): string =>
    publicUrl ? url.replace(publicUrl, addresses[calls++ % addresses.length]!) : url;
  const [s3, openai, fal, databaseUrl] = await Promise.all([
    startS3(),
    startOpenAiCompatible(),
    startFal({ pace: { by: "time", stepMs: 30 }, reach }),
    createPostgresDatabase(),
  ]);
  async function start(role?: "web"): Promise<ServerProcess> {
    const server = await startServer({
      dataFolder: createTempFolder("server"),
      args: role ? ["--role", role] : [],
      env: {
        DATABASE_URL: databaseUrl,
        BLOB_URL: s3.url,
        AWS_ACCESS_KEY_ID: s3.accessKeyId,
        AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
        BOTTEGA_MASTER_KEY: masterKey,
        ...(failpoints && { BOTTEGA_FAILPOINTS: failpoints }),
        ...(publicUrl && { PUBLIC_URL: publicUrl, PORT: String(await findFreePort()) }),
      },
    });
    addresses.push(server.url);
    return server;
  }
  const first = await start();
  const here = await setUpServer(first);
  const chat = {
    connectionId: await connectKind(here, "openai-compatible", {
      api: openai.url,
      key: openai.key,
    }),
    modelId: "sim-chat",
  };
  const flux = {
    connectionId: await connectKind(here, "fal", fal.values),
    modelId: "sim/flux/dev",
  };
  const second = await start(secondRole);
  const there = here.at(second.url);

  async function query<T>(text: string, values: unknown[] = []): Promise<T[]> {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    try {
      return (await client.query(text, values)).rows as T[];
    } finally {
      await client.end();
    }
  }
  const ownerOf = async (runId: string): Promise<string | null | undefined> =>
    (
      await query<{ worker_id: string | null }>("select worker_id from run where id = $1", [runId])
    )[0]?.worker_id;

  return {
    databaseUrl,
    s3,
    openai,
    fal,
    first,
    second,
    here,
    there,
    chat,
    flux,
    query,
    ownerOf,
    draw: (client: ServerClient, prompt: string) =>
      makeOnServer(client, flux, { prompt, image_size: { width: 64, height: 64 } }),
    /** A run, and the worker that has claimed it. */
    async claimed(made: Promise<{ id: string }>): Promise<{ id: string; owner: string }> {
      const run = await made;
      const owner = await until("a server has claimed it", () =>
        ownerOf(run.id).then((id) => id ?? undefined),
      );
      return { id: run.id, owner };
    },
    /** The two servers by their role for a run: the one that executes it, and the other. */
    async sidesOf(runId: string) {
      const owner = (await ownerOf(runId))!;
      const workers = await query<{ id: string }>("select id from worker order by started_at");
      return workers[0]!.id === owner
        ? { owner, mine: first, other: there }
        : { owner, mine: second, other: here };
    },
    async stop(): Promise<void> {
      await Promise.all([first.kill9(), second.kill9()]);
      await Promise.all([s3.stop(), openai.stop(), fal.stop()]);
    },
  };
}
export type TwoServers = Awaited<ReturnType<typeof startTwoServers>>;
