import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import type { RunEventPayloads } from "#contract/events.ts";
import { admitBatch } from "#engine/admit/admit-media.ts";
import { connect } from "#engine/connections/connect.ts";
import { saveUpload } from "#engine/ingest/upload.ts";
import { createChores } from "#engine/recover/chores.ts";
import { collectBlobs } from "#engine/recover/collect.ts";
import type { Adapter, AnswerPart, ModelFacts } from "#providers/adapter.ts";
import { listAssetsOfRuns, updateAssets } from "#store/content/assets.ts";
import { getRun } from "#store/runs/runs.ts";
import {
  createTestDatabase,
  type DatabaseName,
  forEachDatabase,
} from "../../../support/databases/databases.ts";
import { createInstance, createTestClock, until } from "../../../support/server/instance.ts";

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
const model: ModelFacts = {
  id: "o",
  name: "o",
  tasks: ["other"],
  inputModalities: ["text"],
  outputModalities: ["file"],
  inputSchema: null,
  capabilities: {},
  limits: {},
  price: null,
  status: "active",
};

async function startServer(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => handler(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A paid service that answers a POST with the files named by `give`, and a run of it. */
async function startRun(
  name: DatabaseName,
  give: (origin: string) => AnswerPart[],
  answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) =>
    void response.end(),
  facts: Partial<Adapter> = {},
) {
  let later = 0;
  const clock = { now: () => Date.now() + later, monotonic: () => performance.now() + later };
  const origin = await startServer((request, response) =>
    request.method === "POST" ? void response.end("{}") : answer(request, response),
  );
  const adapter: Adapter = {
    kind: "paid",
    name: "Paid",
    summary: "",
    group: "media",
    docs: "",
    fields: [{ name: "api", label: "Address", kind: "url", required: true, address: "api" }],
    addresses: { api: "http://127.0.0.1:1/" },
    tasks: ["other"],
    outputLifetimeMs: 7 * 24 * hourMs,
    check: async () => ({ message: "" }),
    async *models() {
      yield [model];
    },
    async *answer(_request, context) {
      await (
        await context.fetch(context.connection.addresses.api!, {
          method: "POST",
          body: "{}",
          signal: context.signal,
        })
      ).text();
      yield* give(origin);
      yield { type: "finish", reason: "stop", usage: {} };
    },
    ...facts,
  };
  const database = await createTestDatabase(name);
  const instance = await createInstance(database, {
    adapters: [adapter],
    endsWithTest: true,
    outputRetryMs: [10, 10],
    clock,
  });
  const person = await instance.createPerson("ada@example.org", { role: "owner" });
  const values = { api: `${origin}/` };
  const { connection } = await connect(instance.engineDeps, {
    kind: "paid",
    name: "p",
    scope: "instance",
    userId: person.user.id,
    values,
  });
  const { runs } = await admitBatch(
    instance.engineDeps,
    { userId: person.user.id },
    {
      projectId: person.projectId,
      models: [{ connectionId: connection.id, modelId: "o" }],
      task: "other",
      input: { prompt: "x" },
      variants: 1,
    },
  );
  const id = runs[0]!.id;
  const current = async () => (await getRun(instance.store.db, id))!;
  return {
    instance,
    id,
    current,
    pass(ms: number): void {
      later += ms;
    },
    async ended() {
      await until("the run has ended", async () => (await current()).finishedAt !== null);
      return current();
    },
    assets: () => listAssetsOfRuns(instance.store.db, [id]),
    delays: async () => {
      const { db } = instance.store;
      const events = await db
        .selectFrom("run_event")
        .select("payload")
        .where("run_id", "=", id)
        .where("type", "=", "output-delayed")
        .execute();
      return events.map(({ payload }) => JSON.parse(payload) as RunEventPayloads["output-delayed"]);
    },
  };
}

forEachDatabase((name) => {
  it("a file deleted while another result of its run took over an hour is saved again before the run succeeds", async () => {
    let finish: (() => void) | undefined;
    const run = await startRun(
      name,
      (origin) => [
        {
          type: "file",
          output: { name: "first.bin", bytes: Buffer.from([1, 2, 3, 250, 251, 252]) },
        },
        { type: "file", output: { name: "second.bin", url: `${origin}/second.bin` } },
      ],
      (_request, response) => {
        response.writeHead(200, {
          "content-type": "application/octet-stream",
          "content-length": "4",
        });
        response.write("ab");
        const isFirst = finish === undefined;
        finish ??= () => response.end("cd");
        if (!isFirst) response.end("cd");
      },
    );
    const { store, engineDeps } = run.instance;
    const blobs = () => store.db.selectFrom("blob").select("sha256").execute();
    await until("the first is here", async () => (await blobs()).length === 1);
    run.pass(65 * 60_000);
    expect(await collectBlobs(engineDeps)).toBe(1);
    await until("the second is under way", async () => finish !== undefined);
    finish?.();
    expect((await run.ended()).state).toBe("succeeded");
    const assets = await run.assets();
    expect(assets).toHaveLength(2);
    for (const { sha256 } of assets) expect(await engineDeps.blobs.stat(sha256)).toBeDefined();
  });

  it("a nonsensical file size from a provider counts as unknown, and no file is lost", async () => {
    const bytes = Buffer.from([0, 1, 2, 3, 255, 254]);
    const run = await startRun(name, () => [
      {
        type: "file",
        output: { name: "thing.bin", bytes, width: 1e25, height: 12.5, durationMs: 1e300 },
      },
    ]);
    expect((await run.ended()).state).toBe("succeeded");
    expect(await run.assets()).toMatchObject([{ width: null, height: 13, durationMs: null }]);
  });
});

it("a run whose files the database always refuses ends with that error, and nothing is downloaded again", async () => {
  let asked = 0;
  let answer: (() => void) | undefined;
  const run = await startRun(
    "sqlite",
    (origin) => [{ type: "file", output: { name: "thing.bin", url: `${origin}/thing.bin` } }],
    (_request, response) => {
      asked++;
      response.writeHead(200, {
        "content-type": "application/octet-stream",
        "content-length": "2",
      });
      answer = () => response.end("ab");
    },
  );
  await until("its file is asked for", async () => answer !== undefined);
  await run.instance.store.write((tx) =>
    sql`create trigger refused before insert on asset begin select raise(abort, 'this row is refused'); end`.execute(
      tx,
    ),
  );
  answer?.();
  expect(await run.ended()).toMatchObject({ state: "failed", error: { code: "internal" } });
  expect(asked).toBe(1);
  const outputs = await run.instance.store.db
    .selectFrom("output")
    .select("state")
    .where("run_id", "=", run.id)
    .execute();
  expect(outputs).toEqual([{ state: "lost" }]);
});

it("a result announced as a web page is saved", async () => {
  const page = (response: ServerResponse) =>
    void response
      .writeHead(200, { "content-type": "text/html" })
      .end("<!doctype html><p>A plot.</p>");
  const run = await startRun(
    "sqlite",
    (origin) => [
      {
        type: "file",
        output: { name: "plot.html", mime: "text/html", url: `${origin}/plot.html` },
      },
    ],
    (_request, response) => page(response),
  );
  expect((await run.ended()).state).toBe("succeeded");
  expect(await run.assets()).toHaveLength(1);
});

it.each(["file:///etc/passwd", "http://169.254.169.254/latest/meta-data/", "not an address"])(
  "a result at %s, which is never downloaded, ends the run at once with the reason",
  async (url) => {
    const run = await startRun("sqlite", () => [
      { type: "file", output: { name: "thing.bin", url } },
    ]);
    const ended = await run.ended();
    expect(ended).toMatchObject({
      state: "failed",
      error: { code: "output_unavailable", message: expect.stringMatching(/address/) },
    });
  },
);

it("a result missing at a local server is retried for a minute, and its run says why", async () => {
  const run = await startRun(
    "sqlite",
    (origin) => [{ type: "file", output: { name: "thing.bin", url: `${origin}/gone.bin` } }],
    (_request, response) => void response.writeHead(404).end(),
    { free: true },
  );
  await until("it says why", async () => (await run.delays()).length > 0);
  expect(await run.delays()).toEqual([{ index: 0, reason: expect.stringContaining("404") }]);
  expect((await run.current()).state).toBe("storing");
  run.pass(61_000);
  expect(await run.ended()).toMatchObject({
    state: "failed",
    error: { code: "output_unavailable" },
  });
  expect(await run.delays()).toHaveLength(1);
});

it("chores never overlap: a late file is downloaded once, and the run behind 200 waiting ones gets its turn", async () => {
  const answers: (() => void)[] = [];
  const run = await startRun(
    "sqlite",
    () => [],
    (request, response) => {
      if (request.url !== "/late.bin") return void response.writeHead(404).end();
      response.writeHead(200, {
        "content-type": "application/octet-stream",
        "content-length": "2",
      });
      answers.push(() => response.end("ab"));
    },
    { outputLifetimeMs: 7 * 24 * hourMs },
  );
  await run.ended();
  const { store, engineDeps } = run.instance;
  const row = await store.db
    .selectFrom("run")
    .selectAll()
    .where("id", "=", run.id)
    .executeTakeFirstOrThrow();
  const { base_urls } = await store.db
    .selectFrom("connection")
    .select("base_urls")
    .executeTakeFirstOrThrow();
  const { api } = JSON.parse(base_urls) as { api: string };
  const promise = (id: string, file: string) => ({
    run_id: id,
    index: 0,
    remote_url: new URL(file, api).href,
    expires_at: Date.now() + hourMs,
    state: "promised" as const,
    bytes: null,
    sha256: null,
    asset_id: null,
    name: "late",
    facts: "{}",
    input: null,
  });
  // Their ids precede the run's own, which a clock created.
  const others = Array.from({ length: 200 }, (_, n) => `0000-${String(n).padStart(4, "0")}`);
  await store.write(async (tx) => {
    await tx
      .insertInto("run")
      .values(others.map((id) => ({ ...row, id, idempotency_key: null })))
      .execute();
    await tx
      .insertInto("output")
      .values([...others.map((id) => promise(id, "gone.bin")), promise(run.id, "late.bin")])
      .execute();
  });
  const chores = createChores(engineDeps);
  const rounds = [chores(), chores(), chores()];
  await until("the late file is asked for", async () => answers.length > 0);
  for (const answer of answers) answer();
  await Promise.all(rounds);
  expect(answers).toHaveLength(1);
  expect(await run.assets()).toHaveLength(1);
});

it("the trash is emptied after 30 days, but not by a clock that jumps ahead", async () => {
  const clock = createTestClock();
  let jumpedMs = 0;
  const wall = { now: () => clock.now() + jumpedMs, monotonic: clock.monotonic };
  const instance = await createInstance(await createTestDatabase("sqlite"), {
    endsWithTest: true,
    clock: wall,
    start: false,
  });
  const person = await instance.createPerson("ada@example.org");
  const trash = async (words: string) => {
    const source = (async function* () {
      yield Buffer.from(words);
    })();
    const asset = await saveUpload(instance.engineDeps, {
      projectId: person.projectId,
      userId: person.user.id,
      name: "a.txt",
      source,
    });
    await instance.commit((unit) => updateAssets(unit, [asset.id], { trashedAt: wall.now() }));
    return async () =>
      (
        await instance.store.db
          .selectFrom("asset")
          .select("deleted_at")
          .where("id", "=", asset.id)
          .executeTakeFirst()
      )?.deleted_at;
  };
  const chores = createChores(instance.engineDeps);
  const isDeleted = await trash("an old picture");
  clock.advance(29 * dayMs);
  await chores();
  expect(await isDeleted()).toBeNull();
  jumpedMs = 31 * dayMs;
  for (let hours = 0; hours < 23; hours++) {
    await chores();
    clock.advance(hourMs);
  }
  expect(await isDeleted()).toBeNull();
  jumpedMs = 0;
  await chores();
  expect(await isDeleted()).toBeNull();
  clock.advance(dayMs);
  await chores();
  expect(await isDeleted()).not.toBeNull();
});
