import { once } from "node:events";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { routes } from "#contract/routes/index.ts";
import { startOpenAiCompatible } from "../../simulators/openai-compatible.ts";
import { createEmptyDatabase, forEachEmptyDatabase } from "../../support/databases/databases.ts";
import { testPassword, until } from "../../support/server/instance.ts";
import {
  askServer,
  connectKind,
  setUpServer,
  shownText,
  watchRun,
} from "../../support/server/server-client.ts";
import { type ServerOptions, startServer } from "../../support/server/server-process.ts";
import { createTempFolder } from "../../support/temp.ts";

/**
 * The message of a server that can't start, without Node's own lines. Its exit code must not be 0.
 */
async function refused(options: ServerOptions): Promise<string> {
  const failure = await startServer(options).then(
    async (server) => {
      await server.kill9();
      throw new Error("it started");
    },
    (error: Error) => error.message,
  );
  const [head = "", ...lines] = failure.split("\n");
  expect(head).toMatch(/\(code [1-9]\d*, signal null\)/);
  const said = lines.filter((line) => line.trim() !== "");
  expect(said).toHaveLength(1);
  return said[0]!;
}

it("a port in use is one sentence with the next step, and a non-zero exit", async () => {
  const other: Server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void other.close());
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const said = await refused({
    dataFolder: createTempFolder("start"),
    env: { PORT: String(port) },
  });
  expect(said).toBe(
    `Port ${port} is in use. Stop what uses it, or choose another one: PORT=4621 npm start.`,
  );
});

it("an unwritable data folder, an invalid value, an unknown setting and an unknown argument are each one sentence", async () => {
  const dataFolder = createTempFolder("start");
  const file = join(dataFolder, "a-file");
  writeFileSync(file, "");
  const [folder, value, unknown, secret, argument, point] = await Promise.all([
    refused({ dataFolder, env: { BOTTEGA_DATA: join(file, "data") } }),
    refused({ dataFolder, env: { PORT: "many" } }),
    refused({ dataFolder, env: { BOTTEGA_PROT: "1" } }),
    refused({ dataFolder, env: { BOTTEGA_MASTER_KEY: "do-not-print-me" } }),
    refused({ dataFolder, args: ["--role", "boss"] }),
    refused({ dataFolder, env: { BOTTEGA_FAILPOINTS: "job.done=kill" } }),
  ]);
  expect(folder).toMatch(
    /^The data folder .* can't be written \(ENOTDIR\)\. Give this user the right .* BOTTEGA_DATA\.$/,
  );
  expect(value).toBe('PORT: "many" can\'t be used, it must be a number from 0 to 65535.');
  expect(unknown).toMatch(
    /^BOTTEGA_PROT is not a setting of Bottega\. The settings are: .*BOTTEGA_DATA/,
  );
  expect(secret).toMatch(/BOTTEGA_MASTER_KEY/);
  expect(secret).not.toContain("do-not-print-me");
  expect(argument).toMatch(/--role web, worker or all/);
  expect(point).toMatch(
    /^BOTTEGA_FAILPOINTS: "job\.done=kill" can't be used, it names "job\.done", which is not one of run\.commit, /,
  );
});

it("a production server has no failpoints", async () => {
  const env = { BOTTEGA_FAILPOINTS: "job.accepted=kill", NODE_ENV: "production" };
  expect(await refused({ dataFolder: createTempFolder("start"), env })).toBe(
    "BOTTEGA_FAILPOINTS makes the server fail on purpose for tests. It is refused with NODE_ENV=production.",
  );
});

it("an unreachable database is one sentence that names DATABASE_URL and no password", async () => {
  const said = await refused({
    dataFolder: createTempFolder("start"),
    env: { DATABASE_URL: "postgres://someone:secret-word@127.0.0.1:1/none" },
  });
  expect(said).toMatch(/^The database can't be used .*DATABASE_URL/);
  expect(said).not.toContain("secret-word");
});

it("a second server on the same data folder is one sentence, and the first continues", async () => {
  const dataFolder = createTempFolder("start");
  const first = await startServer({ dataFolder });
  onTestFinished(first.kill9);
  expect(await refused({ dataFolder })).toMatch(
    /^Another Bottega is already running on the data folder .* Stop it first/,
  );
  expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
});

forEachEmptyDatabase((name, create) => {
  it("a database newer than the program is one sentence, and nothing in it is changed", async () => {
    const { dataFolder, env, databaseUrl } = await create();
    await (await startServer({ dataFolder, env })).stop();
    const insert =
      "insert into kysely_migration (name, timestamp) values ('9999-tomorrow', '2099-01-01')";
    if (databaseUrl) {
      const client = new pg.Client({ connectionString: databaseUrl });
      await client.connect();
      await client.query(insert);
      await client.end();
    } else {
      const raw = new DatabaseSync(join(dataFolder, "bottega.db"));
      raw.exec(insert);
      raw.close();
    }
    expect(await refused({ dataFolder, env })).toMatch(
      /^This database was made by a newer Bottega \(it has "9999-tomorrow".* Update the program/,
    );
  });

  it("a set-up code makes one owner: of two simultaneous uses one is refused, and it never works again", async () => {
    const { dataFolder, env } = await create();
    const server = await startServer({ dataFolder, env });
    onTestFinished(server.kill9);
    const code = new URL(server.setupLink!).hash.slice("#code=".length);
    const setUp = async (email: string, withCode = code): Promise<number> => {
      const response = await fetch(`${server.url}${routes.setUp.path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          code: withCode,
          name: "Ada",
          email,
          password: testPassword,
          projectName: "Studio",
          take: [],
        }),
      });
      await response.body?.cancel();
      return response.status;
    };
    expect(await setUp("wrong@example.org", "not-the-code")).toBe(422);
    const both = await Promise.all([setUp("ada@example.org"), setUp("eve@example.org")]);
    expect(both.sort()).toEqual([200, 409]);
    expect(await setUp("late@example.org")).toBe(409);
    await server.kill9();
    const again = await startServer({ dataFolder, env });
    onTestFinished(again.kill9);
    expect(again.setupLink).toBeNull();
  });

  it(`SIGTERM in mid-answer exits cleanly with 0, and the next start has the text (${name})`, async () => {
    const { dataFolder, env } = await create();
    const openai = await startOpenAiCompatible();
    onTestFinished(openai.stop);
    const server = await startServer({ dataFolder, env });
    onTestFinished(server.kill9);
    const client = await setUpServer(server);
    const connectionId = await connectKind(client, "openai-compatible", {
      api: openai.url,
      key: openai.key,
    });
    openai.script({ text: "one two three", gate: { name: "third", at: 2 } });
    const { run } = await askServer(client, { connectionId, modelId: "sim-chat" }, "count");
    const watch = watchRun(client, run.id);
    await until("two words are shown", async () => shownText(watch.events) === "one two");
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    openai.open("third");
    const again = await startServer({ dataFolder, env });
    onTestFinished(again.kill9);
    const replay = watchRun(client.at(again.url), run.id);
    await replay.ended;
    expect(shownText(replay.events)).toBe("one two");
    expect(replay.events.at(-1)).toMatchObject({
      type: "run-settled",
      payload: { state: "failed", error: { code: "provider_interrupted" } },
    });
    expect(openai.posts).toHaveLength(1);
  });
});

it("a second signal ends the server at once", async () => {
  const { dataFolder } = await createEmptyDatabase("sqlite");
  const server = await startServer({ dataFolder });
  onTestFinished(server.kill9);
  // A request that never ends is active, so that the shutdown after the first signal takes time.
  const { hostname, port } = new URL(server.url);
  const slow = connect(Number(port), hostname);
  onTestFinished(() => void slow.destroy());
  slow.on("error", () => undefined);
  slow.write(
    `POST /api/v1/session HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
  );
  await fetch(`${server.url}/healthz`);
  server.child.kill("SIGTERM");
  await until("it says that it stops", async () => server.output().includes("Bottega stops"));
  server.child.kill("SIGINT");
  const [code] = (await once(server.child, "exit")) as [number | null];
  expect(code).toBe(130);
});

it("only the owner can read the master key, and it stays the same", async () => {
  const dataFolder = createTempFolder("start");
  mkdirSync(dataFolder, { recursive: true });
  const first = await startServer({ dataFolder });
  await first.stop();
  const file = join(dataFolder, "master.key");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const key = readFileSync(file, "utf8");
  expect(key).toMatch(/^[0-9a-f]{64}\n$/);
  const second = await startServer({ dataFolder });
  await second.stop();
  expect(readFileSync(file, "utf8")).toBe(key);
});
