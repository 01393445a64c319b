import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type FalSimulator, startFal } from "../simulators/fal.ts";
import { type OpenAiCompatible, startOpenAiCompatible } from "../simulators/openai-compatible.ts";
import { type S3Simulator, startS3 } from "../simulators/s3/s3.ts";
import { type PostgresCluster, startPostgres } from "../support/databases/postgres.ts";
import { findFreePort } from "../support/server/free-port.ts";
import { type ServerProcess, startServer } from "../support/server/server-process.ts";
import { type Client, createClient } from "./client.ts";
import { startTornLine, type TornLine } from "./torn-line.ts";

export type DatabaseName = "sqlite" | "postgres";
export type Provider = "openai" | "fal";
type ModelRef = { connectionId: string; modelId: string };

/**
 * A Bottega with one server on SQLite, or with two on PostgreSQL and S3, with simulators whose
 * ledgers are the oracle.
 */
export type SoakStudio = {
  database: DatabaseName;
  databaseUrl: string | undefined;
  dataFolder: string;
  env: Record<string, string>;
  openai: OpenAiCompatible;
  fal: FalSimulator;
  /** The proxies that answers pass through. */
  lines: { openai: TornLine; fal: TornLine };
  s3: S3Simulator | undefined;
  client: Client;
  projectId: string;
  userId: string;
  models: { chat: ModelRef; picture: ModelRef; job: ModelRef };
  servers: (ServerProcess | undefined)[];
  /** Restarts a place's server after it was stopped or killed. */
  revive(place: number): Promise<void>;
  /** Ends the servers; data on disk stays. */
  stopServers(): Promise<void>;
  stop(): Promise<void>;
};

/** The address for fal's webhooks, which reach a running server. */
const publicUrl = "https://soak.example.org";
const password = "soaked to the bone";
const masterKey = "7c".repeat(32);
/**
 * A safeguard against our own faults: far above a soak's spending, so that every admission reserves
 * against it.
 */
const budgetMicros = 1e12;
const ceilingMicros = 50_000;

export async function openSoakStudio(database: DatabaseName, folder: string): Promise<SoakStudio> {
  const [openai, fal] = await Promise.all([
    startOpenAiCompatible({
      models: ["sim-chat", "sim-image"].map((id) => ({
        id,
        object: "model",
        created: 1_700_000_000,
        owned_by: "simulator",
      })),
      defaults: { firstTokenMs: 20, betweenMs: 5 },
    }),
    startFal({
      pace: { by: "time", stepMs: 40 },
      named: () => lines.fal.origin,
      reach: (url) => url.replace(publicUrl, address()),
    }),
  ]);
  const lines: SoakStudio["lines"] = {
    openai: await startTornLine(new URL(openai.url).origin, ({ method }) => method === "POST"),
    fal: await startTornLine(
      fal.url,
      ({ method, path }) => method === "POST" && path.startsWith("/queue/"),
    ),
  };
  const cluster: PostgresCluster | undefined =
    database === "postgres" ? await startPostgres() : undefined;
  const s3 = database === "postgres" ? await startS3() : undefined;
  const databaseUrl = await cluster?.createDatabase();
  const env: Record<string, string> = {
    BOTTEGA_LOG: "error",
    BOTTEGA_MASTER_KEY: masterKey,
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
    ...(s3 && {
      BLOB_URL: s3.url,
      AWS_ACCESS_KEY_ID: s3.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
    }),
  };
  const folderOf = (place: number): string => {
    const own = join(folder, `data-${place}`);
    mkdirSync(own, { recursive: true });
    return own;
  };
  const start = async (place: number): Promise<ServerProcess> =>
    startServer({
      dataFolder: folderOf(place),
      env: { ...env, PUBLIC_URL: publicUrl, PORT: String(await findFreePort()) },
    });
  const servers: (ServerProcess | undefined)[] = [await start(0)];
  const { cookie, projectId, userId } = await setUp(servers[0]!);
  if (database === "postgres") servers.push(await start(1));
  let turn = 0;
  const address = (): string => {
    const alive = servers.filter((server) => server !== undefined);
    return alive[turn++ % Math.max(1, alive.length)]?.url ?? "http://127.0.0.1:9";
  };
  const client = createClient(address, cookie);
  const models = await connect(client, { openai, fal, lines });
  await limit(client, userId, models);
  return {
    database,
    databaseUrl,
    dataFolder: folderOf(0),
    env,
    openai,
    fal,
    lines,
    s3,
    client,
    projectId,
    userId,
    models,
    servers,
    async revive(place) {
      servers[place] = await start(place);
    },
    async stopServers() {
      await Promise.all(servers.map((server) => server?.stop()));
      servers.fill(undefined);
    },
    async stop() {
      await Promise.all(servers.map((server) => server?.kill9()));
      await Promise.all([
        openai.stop(),
        fal.stop(),
        s3?.stop(),
        lines.openai.stop(),
        lines.fal.stop(),
      ]);
      await cluster?.stop();
    },
  };
}

async function setUp(
  server: ServerProcess,
): Promise<{ cookie: string; projectId: string; userId: string }> {
  const code = new URL(server.setupLink ?? "").hash.slice("#code=".length);
  const body = {
    code,
    name: "Soak",
    email: "soak@example.org",
    password,
    projectName: "Soak",
    take: [],
  };
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${server.url}/api/v1/setup`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  if (!response.ok)
    throw new Error(`could not set up: ${response.status} ${await response.text()}`);
  const cookie = response.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  const me = await createClient(() => server.url, cookie).call("getMe");
  if (me.status !== 200) throw new Error("could not sign in");
  const { projects, user } = me.body as { projects: { id: string }[]; user: { id: string } };
  return { cookie, projectId: projects[0]!.id, userId: user.id };
}

async function connect(
  client: Client,
  { openai, fal, lines }: Pick<SoakStudio, "openai" | "fal" | "lines">,
): Promise<SoakStudio["models"]> {
  const add = async (kind: string, values: Record<string, string>): Promise<string> => {
    const made = await client.call("createConnection", {
      body: { kind, name: kind, scope: "instance", values },
    });
    if (made.status !== 200)
      throw new Error(`could not connect ${kind}: ${JSON.stringify(made.body)}`);
    return (made.body as { connection: { id: string } }).connection.id;
  };
  const pictures = JSON.stringify([{ id: "sim-image", task: "image" }]);
  const [openaiId, falId] = [
    await add("openai-compatible", {
      api: openai.url.replace(new URL(openai.url).origin, lines.openai.origin),
      key: openai.key,
      models: pictures,
    }),
    await add("fal", through(fal.values, fal.url, lines.fal.origin)),
  ];
  for (const connectionId of [openaiId, falId])
    await client.call("updateConnection", {
      params: { connectionId },
      body: { values: { textPlaces: 64, mediaPlaces: 24 } },
    });
  return {
    chat: { connectionId: openaiId, modelId: "sim-chat" },
    picture: { connectionId: openaiId, modelId: "sim-image" },
    job: { connectionId: falId, modelId: "sim/flux/dev" },
  };
}

/** Redirects each value that is an address through the proxy. */
const through = (
  values: Record<string, string>,
  from: string,
  to: string,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      value.replace(from, to).replace(from.replace("http", "ws"), to.replace("http", "ws")),
    ]),
  );

/**
 * Blocking budgets at three levels, so that every run reserves at each; models without a price get
 * a ceiling.
 */
async function limit(client: Client, userId: string, models: SoakStudio["models"]): Promise<void> {
  const setting = { timeZone: "Europe/Rome", onLimit: "block", limitMicros: budgetMicros };
  const budgets = [
    { scope: "instance", scopeIds: [null], period: "month" },
    { scope: "user", scopeIds: [userId], period: "day" },
    { scope: "user", scopeIds: [userId], period: "total" },
  ];
  for (const budget of budgets) {
    const set = await client.call("setBudgets", { body: { ...setting, ...budget } });
    if (set.status !== 200) throw new Error(`could not set a budget: ${JSON.stringify(set.body)}`);
  }
  for (const { connectionId, modelId } of [models.chat, models.picture])
    await client.call("setModelPrice", {
      params: { connectionId },
      body: { modelId, ceilingMicros },
    });
}
