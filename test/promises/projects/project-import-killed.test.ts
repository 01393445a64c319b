import { request } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import type { Asset, ProjectImport } from "#contract/entities.ts";
import type { Store } from "#store/database/store.ts";
import { forEachDatabase, type TestDatabase } from "../../support/databases/databases.ts";
import { openStore } from "../../support/databases/test-store.ts";
import { until } from "../../support/server/instance.ts";
import { runBottegaHere } from "../../support/server/run-command.ts";
import {
  askServer,
  fileOnServer,
  makeOnServer,
  runEnds,
  type ServerClient,
  setUpServer,
  uploadToServer,
} from "../../support/server/server-client.ts";
import { type ServerProcess, startServer } from "../../support/server/server-process.ts";
import {
  endOf,
  exportProject,
  listImports,
  rowsOf,
  sendArchive,
  sha256Of,
  takeApart,
} from "../../support/studio/project-archives.ts";

const points = ["import.file#2", "import.rows#3", "import.shown#1"];

forEachDatabase((_, create) => {
  it("kill -9 at any point of an import leaves no project that anyone sees, and the next start imports all of it", async () => {
    const database = await create();
    let server = await startServer({ dataFolder: database.dataFolder, env: database.env });
    onTestFinished(() => server.kill9());
    const client = await setUpServer(server);
    const zip = await exported(client);
    const tables = ["conversations", "messages", "runs", "assets"];
    const parts = await takeApart(zip);
    const sizes = tables.map((table) => rowsOf(parts, table).length);
    for (const point of points) {
      server = await restart(server, database, `${point}=kill`);
      const before = await seen(database);
      const begun = await sendArchive(client.at(server.url), zip);
      expect([point, begun.status]).toEqual([point, 200]);
      expect(await server.ended).toMatchObject({ signal: "SIGKILL" });
      expect([point, await seen(database)]).toEqual([point, before]);
      server = await restart(server, database);
      const { state, projectId } = await endOf(
        client.at(server.url),
        (begun.body.import as ProjectImport).id,
      );
      expect([point, state]).toEqual([point, "done"]);
      const here = await takeApart(await exportProject(client.at(server.url), projectId!));
      expect([point, tables.map((table) => rowsOf(here, table).length)]).toEqual([point, sizes]);
      await wholeFiles(client.at(server.url), projectId!);
    }
    await cleaned(database);
    const found = await runBottegaHere(["doctor", "--deep"], database.env);
    expect(found.stdout).toContain("No problems found.");
  });

  it("one that was killed and is stopped afterwards leaves no row, and one with a truncated upload never starts", async () => {
    const database = await create();
    let server = await startServer({ dataFolder: database.dataFolder, env: database.env });
    onTestFinished(() => server.kill9());
    const client = await setUpServer(server);
    const zip = await exported(client);
    const before = await counts(database);
    server = await restart(server, database, "import.rows#4=kill");
    const { body } = await sendArchive(client.at(server.url), zip);
    await server.ended;
    expect(await counts(database)).not.toEqual(before);
    // A web server, which continues no import.
    server = await restart(server, database, undefined, ["--role", "web"]);
    const stopped = await client
      .at(server.url)
      .call("removeImport", { params: { importId: (body.import as ProjectImport).id } });
    expect(stopped.status).toBe(200);
    expect(await listImports(client.at(server.url))).toEqual([]);
    server = await restart(server, database);
    await cleaned(database);
    expect(await counts(database)).toEqual(before);
    await sendHalf(client.at(server.url), zip);
    await server.kill9();
    server = await restart(server, database);
    expect(await listImports(client.at(server.url))).toEqual([]);
    expect(await counts(database)).toEqual(before);
  });
});

async function restart(
  server: ServerProcess,
  database: TestDatabase,
  failpoints?: string,
  args?: string[],
): Promise<ServerProcess> {
  if (server.child.exitCode === null && server.child.signalCode === null) await server.stop();
  const env = { ...database.env, ...(failpoints && { BOTTEGA_FAILPOINTS: failpoints }) };
  return startServer({ dataFolder: database.dataFolder, env, ...(args && { args }) });
}

/** A project with pictures, a file and a conversation. */
async function exported(client: ServerClient): Promise<Buffer> {
  const { body } = await client.call<{ connections: { id: string; kind: string }[] }>(
    "listConnections",
  );
  const connectionId = (kind: string) =>
    body.connections.find((connection) => connection.kind === kind)!.id;
  for (const seed of [1, 2, 3]) {
    const input = { prompt: `pattern ${seed}`, seed, image_size: { width: 64, height: 64 } };
    await runEnds(
      client,
      (
        await makeOnServer(
          client,
          { connectionId: connectionId("builtin"), modelId: "pattern" },
          input,
        )
      ).id,
    );
  }
  await uploadToServer(client, "notes.txt", new TextEncoder().encode("Twelve arches."));
  const said = await askServer(
    client,
    { connectionId: connectionId("builtin"), modelId: "guide" },
    "What is a run?",
  );
  await runEnds(client, said.run.id);
  return exportProject(client, client.projectId);
}

async function withStore<T>(database: TestDatabase, ask: (store: Store) => Promise<T>): Promise<T> {
  const store = openStore(database);
  try {
    return await ask(store);
  } finally {
    await store.close();
  }
}

/** The visible data: projects by their members. */
const seen = (database: TestDatabase) =>
  withStore(database, ({ db }) =>
    db.selectFrom("project_member").selectAll().orderBy("project_id").execute(),
  );

const counts = (database: TestDatabase) =>
  withStore(database, ({ db }) =>
    Promise.all(
      (
        [
          "project",
          "project_member",
          "run",
          "run_input",
          "batch",
          "asset",
          "upload",
          "conversation",
          "message",
          "import_file",
        ] as const
      ).map(async (table) => [
        table,
        Number(
          (
            await db
              .selectFrom(table)
              .select((e) => e.fn.countAll().as("n"))
              .executeTakeFirstOrThrow()
          ).n,
        ),
      ]),
    ),
  );

const cleaned = (database: TestDatabase) =>
  until("nothing is left to clean", () =>
    withStore(database, async ({ db }) => {
      const left = await db
        .selectFrom("project_import")
        .select("id")
        .where("cleaned_at", "is", null)
        .execute();
      return left.length === 0;
    }),
  );

async function wholeFiles(client: ServerClient, projectId: string): Promise<void> {
  const { body } = await client.call<{ assets: Asset[] }>("listAssets", { query: { projectId } });
  for (const asset of body.assets)
    expect(sha256Of(await fileOnServer(client, asset.id))).toBe(asset.sha256);
}

/** Sends the first half and leaves the rest pending. */
const sendHalf = ({ url, cookie }: ServerClient, zip: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    const sending = request(`${url}/api/v1/imports`, {
      method: "POST",
      headers: { cookie, "content-length": zip.length },
    });
    // The server is killed during the upload.
    sending.on("error", () => undefined);
    sending.write(zip.subarray(0, zip.length >> 1), (error) => (error ? reject(error) : resolve()));
  });
