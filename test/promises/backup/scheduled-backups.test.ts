import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { Backups } from "#engine/deps.ts";
import { makeDueBackup } from "#engine/recover/scheduled-backups.ts";
import { insertWorker, removeWorker } from "#store/runs/workers.ts";
import { prepareFolder } from "../../../src/commands/backup.ts";
import { lockFile } from "../../../src/data-folder.ts";
import type { TestDatabase } from "../../support/databases/databases.ts";
import { createEmptyDatabase, forEachDatabase } from "../../support/databases/databases.ts";
import { patienceMs } from "../../support/patience.ts";
import { createInstance, createTestClock } from "../../support/server/instance.ts";
import { runBottegaHere } from "../../support/server/run-command.ts";
import { setUpServer, uploadToServer } from "../../support/server/server-client.ts";
import { baseEnvironment } from "../../support/server/server-process.ts";
import { compiledBeside, serverScript } from "../../support/server/server-script.ts";
import { soon } from "../../support/soon.ts";
import { startCopy } from "../../support/studio/busy-studio.ts";
import { createTempFolder } from "../../support/temp.ts";

type Facts = RouteOutput<"getBackups">;
const hourMs = 60 * 60_000;
const folder = "/backups/bottega";
const plan = { folder, hour: 3, timeZone: "UTC", keep: 7 };

/** An instance whose backups the test makes, at noon. */
async function open(database: TestDatabase) {
  const clock = createTestClock(Date.parse("2026-11-20T12:00:00Z"));
  const instance = await createInstance(database, { endsWithTest: true, start: false, clock });
  const made: string[] = [];
  let make: Backups["make"] = async () => null;
  const backups: Backups = {
    make(wanted, signal) {
      made.push(`${wanted.folder} ${wanted.keep}`);
      return make(wanted, signal);
    },
    list: async () => [],
    prepare: async () => undefined,
  };
  Object.assign(instance.deps, { backups });
  const owner = await instance.createPerson("owner@example.org", { role: "owner" });
  const never = new AbortController().signal;
  for (const id of ["one", "two"])
    await instance.commit(({ tx }) =>
      insertWorker(tx, { id, bootId: id, beat: 1, host: id, startedAt: 0 }),
    );
  return {
    ...instance,
    clock,
    owner,
    made,
    set: (next: Backups["make"]) => (make = next),
    save: (body: object = plan) => owner.call<Facts>("setBackups", { body }),
    standing: async () => (await owner.call<Facts>("getBackups")).body.standing,
    look: (workerId = "one", signal = never) =>
      makeDueBackup(instance.engineDeps, workerId, signal),
  };
}

forEachDatabase((_, create) => {
  it("the first backup is made at once, the next at its hour, and none in between", async () => {
    const { clock, save, look, made, standing } = await open(await create());
    expect(await look()).toBe(false);
    expect((await save()).status).toBe(200);
    expect(await look()).toBe(true);
    expect(await look()).toBe(false);
    expect(made).toEqual([`${folder} 7`]);
    expect(await standing()).toEqual({
      state: "ok",
      doneAt: clock.now(),
      nextAt: Date.parse("2026-11-21T03:00:00Z"),
      isUnderWay: false,
      lastError: null,
    });
    clock.advance(15 * hourMs);
    expect(await look()).toBe(true);
    await save({ ...plan, folder: null });
    clock.advance(48 * hourMs);
    expect(await look()).toBe(false);
    expect(made).toHaveLength(2);
  });

  it("one of several servers makes it, and another takes over from a dead one", async () => {
    const { commit, save, look, made, set, standing } = await open(await create());
    await save();
    let finish: (value: null) => void = () => undefined;
    set(() => new Promise((resolve) => (finish = resolve)));
    const first = look("one");
    await soon(() => made.length).toBe(1);
    expect((await standing()).isUnderWay).toBe(true);
    expect(await look("two")).toBe(false);
    await commit(({ tx }) => removeWorker(tx, "one"));
    expect((await standing()).isUnderWay).toBe(false);
    set(async () => null);
    expect(await look("two")).toBe(true);
    expect(made).toHaveLength(2);
    finish(null);
    await first;
  });

  it("a backup requested during another follows it", async () => {
    const { clock, owner, save, look, made, set } = await open(await create());
    await save();
    set(async () => {
      clock.advance(1);
      if (made.length === 1) expect((await owner.call("makeBackup")).status).toBe(200);
      return null;
    });
    expect(await look()).toBe(true);
    expect(await look()).toBe(true);
    expect(await look()).toBe(false);
    expect(made).toHaveLength(2);
  });

  it("a failed backup is reported to admins and retried within the hour, and an outdated one is reported too", async () => {
    const { clock, save, look, set, standing, owner, made } = await open(await create());
    const told = async () =>
      (await owner.call<RouteOutput<"getStorage">>("getStorage")).body.backup.state;
    await save();
    await look();
    const doneAt = clock.now();
    clock.advance(24 * hourMs);
    set(() =>
      Promise.reject(new Error("The disk is full: /backups. The unfinished part is not valid.")),
    );
    await look();
    expect(await standing()).toMatchObject({
      state: "failed",
      doneAt,
      nextAt: clock.now() + hourMs,
      lastError: "The disk is full: /backups. The unfinished part is not valid.",
    });
    expect(await told()).toBe("failed");
    clock.advance(25 * hourMs);
    expect(await told()).toBe("old");
    set(async () => null);
    await look();
    expect(await standing()).toMatchObject({ state: "ok", lastError: null });
    expect(made).toHaveLength(3);
  });

  it("a backup that lacks files is reported to admins until one has every file", async () => {
    const { clock, save, look, set, standing, owner } = await open(await create());
    const told = async () => [
      (await owner.call<RouteOutput<"getStorage">>("getStorage")).body.backup.state,
      (await owner.call<RouteOutput<"getHealth">>("getHealth")).body.checks.backup,
    ];
    await save();
    const lastError = sentences.backups.filesLost({ count: 2 });
    set(async () => lastError);
    await look();
    expect(await standing()).toMatchObject({ state: "incomplete", doneAt: clock.now(), lastError });
    expect(await told()).toEqual(["incomplete", "warn"]);
    clock.advance(24 * hourMs);
    set(async () => null);
    await look();
    expect(await told()).toEqual(["ok", "ok"]);
  });

  it("an interrupted backup is made by the next server that looks", async () => {
    const { save, look, set, made, standing } = await open(await create());
    await save();
    const stop = new AbortController();
    set((_wanted, signal) => {
      stop.abort();
      return Promise.reject(signal.reason);
    });
    await look("one", stop.signal);
    expect(await standing()).toMatchObject({ state: "ok", doneAt: null, lastError: null });
    set(async () => null);
    expect(await look("two")).toBe(true);
    expect(made).toHaveLength(2);
  });

  it("a copy of a database makes no backup in the original's folder", async () => {
    const { engineDeps, save, look, made } = await open(await create());
    await save();
    Object.assign(engineDeps, { fileOwner: { ownership: () => "copy" } });
    expect(await look()).toBe(false);
    expect(made).toEqual([]);
  });

  it("only owners name a folder, and a refused folder's content isn't revealed", async () => {
    const { createPerson, deps, save, owner } = await open(await create());
    const admin = await createPerson("admin@example.org", { role: "admin" });
    const byAdmin = (body: object) => admin.call("setBackups", { body });
    expect((await byAdmin(plan)).status).toBe(403);
    await save();
    expect((await byAdmin({ ...plan, hour: 4 })).status).toBe(200);
    expect((await byAdmin({ ...plan, folder: null })).status).toBe(403);
    const refused = async (folder: string) =>
      (await owner.call("setBackups", { body: { ...plan, folder } })).body;
    expect(await refused("backups")).toMatchObject({ code: "invalid_input", field: "folder" });
    Object.assign(deps.backups!, {
      prepare: () => Promise.reject(new Error('It holds "secret.txt".')),
    });
    const answer = await refused("/other");
    expect(answer).toMatchObject({ code: "invalid_input", field: "folder" });
    expect(JSON.stringify(answer)).not.toContain("secret");
  });
});

it("a server makes backups by itself, several are kept with their files, and each can be restored", async () => {
  const database = await createEmptyDatabase("sqlite");
  const client = await setUpServer(await startCopy(database.dataFolder));
  const upload = (name: string) =>
    uploadToServer(client, `${name}.bin`, new Uint8Array(randomBytes(1_000)));
  const target = join(createTempFolder("kept"), "backups");
  const facts = async () => (await client.call<Facts>("getBackups")).body;
  await upload("one");
  const body = { ...plan, folder: target, keep: 2 };
  expect((await client.call("setBackups", { body })).status).toBe(200);
  const isMade = (count: number) =>
    vi.waitFor(
      async () => {
        const { made, standing } = await facts();
        expect({ made: made?.length, ...standing }).toMatchObject({
          made: count,
          state: "ok",
          isUnderWay: false,
        });
        return made!;
      },
      { timeout: patienceMs, interval: 200 },
    );
  await isMade(1);
  const files: number[] = [];
  for (const name of ["two", "three"]) {
    await upload(name);
    const before = (await facts()).made![0]!.at;
    expect((await client.call("makeBackup")).status).toBe(200);
    await vi.waitFor(async () => expect((await facts()).made![0]!.at).toBeGreaterThan(before), {
      timeout: patienceMs,
      interval: 200,
    });
  }
  files.push(...(await isMade(2)).map((one) => one.files));
  expect(files).toEqual([3, 2]);
  const [newest, older] = (await facts()).made!;
  for (const [flags, count] of [
    [[], 3],
    [["--at", new Date(older!.at).toISOString()], 2],
  ] as const) {
    const place = await createEmptyDatabase("sqlite");
    const restored = await runBottegaHere(
      ["restore", target, "--without-key", ...flags],
      place.env,
    );
    expect(restored).toMatchObject({ code: 0 });
    expect(restored.stdout).toContain(`${count} files`);
  }
  const unknown = await runBottegaHere(["restore", target, "--at", "2001"], database.env);
  expect(unknown.stderr).toContain(new Date(newest!.at).toISOString());
  // Without --keep, a person's own backup removes no more than a daily one would.
  const backUp = async (...flags: string[]) => {
    const { code } = await runBottegaHere(["backup", target, ...flags], database.env);
    const kept = readdirSync(target).filter((name) => name.startsWith("database-"));
    return [code, kept.length];
  };
  expect(await backUp()).toEqual([0, 2]);
  expect(await backUp("--keep", "1")).toEqual([0, 1]);
  expect(await backUp()).toEqual([0, 2]);
});

it("a folder with other content is refused when it is set", async () => {
  const database = await createEmptyDatabase("sqlite");
  const client = await setUpServer(await startCopy(database.dataFolder));
  const target = createTempFolder("other");
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, "thesis.txt"), "words");
  const body = { ...plan, folder: target };
  const answer = await client.call("setBackups", { body });
  expect(answer).toMatchObject({ status: 422, body: { field: "folder" } });
  expect(JSON.stringify(answer.body)).not.toContain("thesis");
});

it("with PostgreSQL, the server's data folder is refused, because a backup would delete its key", async () => {
  const dataFolder = createTempFolder("data");
  mkdirSync(join(dataFolder, "blobs"), { recursive: true });
  writeFileSync(join(dataFolder, "master.key"), "key");
  await expect(prepareFolder(dataFolder)).rejects.toThrow("holds something else");
  expect(readdirSync(dataFolder).sort()).toEqual(["blobs", "master.key"]);
});

// A backup that continued would hold the test until its end.
it("a server's backup ends with its server, and leaves the folder free for the next", async () => {
  // A database that accepts the connection and never answers keeps the backup active.
  const silent = createServer();
  const asked = once(silent, "connection");
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const target = createTempFolder("kept");
  const script = await serverScript();
  const child = spawn(process.execPath, [script, "backup", target], {
    env: {
      ...baseEnvironment(),
      ...compiledBeside(script),
      BOTTEGA_DATA: createTempFolder("data"),
      DATABASE_URL: `postgres://a:b@127.0.0.1:${port}/c`,
    },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "exit");
  await asked;
  const lock = () => lockFile(join(target, "backup.lock"), "in use");
  expect(lock).toThrow("in use");
  // What the system does to the channel of a killed server.
  child.disconnect();
  expect(await ended).toEqual([null, "SIGTERM"]);
  lock()();
});
