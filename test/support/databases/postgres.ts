import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, chownSync, mkdirSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { findFreePort } from "../server/free-port.ts";
import { findPostgres, type PostgresBinaries } from "./postgres-binaries.ts";

/** A running PostgreSQL of the tests' own. */
export type PostgresCluster = {
  url(databaseName: string): string;
  /** Makes an empty database, or a copy of one that nobody is connected to, and returns its URL. */
  createDatabase(template?: string): Promise<string>;
  /** Ends every session, is away while `meanwhile` goes on, and comes back at the same address. */
  restart(meanwhile?: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
};

const START_LIMIT_MS = 30_000;
const PORT_TRIES = 3;

function initialise(binaries: PostgresBinaries, dataFolder: string): void {
  const args = [
    "--pgdata",
    dataFolder,
    "--username=postgres",
    "--auth=trust",
    "--encoding=UTF8",
    "--locale=C",
  ];
  const made = spawnSync(binaries.initdb, args, {
    ...binaries.identity,
    cwd: "/",
    encoding: "utf8",
  });
  if (made.status !== 0) throw new Error(`initdb ended with ${made.status}: ${made.stderr}`);
}

async function isReady(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on("error", () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Starts the server on this port; what it said when it ended at once, as it does when somebody took the port meanwhile. */
async function launch(
  binaries: PostgresBinaries,
  dataFolder: string,
  onSpawn: (child: ChildProcess) => void,
  port: number,
  more: readonly string[],
): Promise<{ child: ChildProcess; port: number } | string> {
  const log: Buffer[] = [];
  // Tests kill processes, never the machine, and what a dead process wrote stays: without fsync, nothing waits for the disk.
  // No Unix socket: its path may be too long for one.
  const settings = [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "max_connections=200",
    "fsync=off",
    ...more,
  ];
  const args = [
    "-D",
    dataFolder,
    "-p",
    String(port),
    ...settings.flatMap((setting) => ["-c", setting]),
  ];
  const child = spawn(binaries.postgres, args, {
    ...binaries.identity,
    cwd: "/",
    stdio: ["ignore", "ignore", "pipe"],
  });
  onSpawn(child);
  child.stderr?.on("data", (chunk: Buffer) => {
    if (log.length < 50) log.push(chunk);
  });
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  for (const endMs = Date.now() + START_LIMIT_MS; Date.now() < endMs; await wait(50)) {
    if (child.exitCode !== null || child.signalCode !== null) break;
    if (await isReady(url)) return { child, port };
  }
  child.kill("SIGKILL");
  return Buffer.concat(log).toString("utf8");
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  // SIGINT is PostgreSQL's fast shutdown: it does not wait for clients that forgot to leave.
  child.kill("SIGINT");
  await ended;
}

/**
 * Starts a real PostgreSQL with an empty cluster in a temporary folder.
 * @param more settings beside those of the tests, as `name=value`
 * @throws Error with what the server said when it does not start
 */
export async function startPostgres(more: readonly string[] = []): Promise<PostgresCluster> {
  const folder = await mkdtemp(join(tmpdir(), "bottega-postgres-"));
  chmodSync(folder, 0o755);
  const binaries = await findPostgres(folder);
  const dataFolder = join(folder, "cluster");
  mkdirSync(dataFolder, { mode: 0o700 });
  if (binaries.identity.uid !== undefined)
    chownSync(dataFolder, binaries.identity.uid, binaries.identity.gid ?? binaries.identity.uid);
  initialise(binaries, dataFolder);

  let latest: ChildProcess | null = null;
  const onSpawn = (child: ChildProcess) => {
    latest = child;
  };
  // From the first moment on: a Ctrl-C while it starts would leave it running for good.
  const killWithUs = () => {
    latest?.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  process.once("exit", killWithUs);
  const launchAt = (port: number) => launch(binaries, dataFolder, onSpawn, port, more);
  let launched = await launchAt(await findFreePort());
  for (let tries = 1; typeof launched === "string" && tries < PORT_TRIES; tries++)
    launched = await launchAt(await findFreePort());
  if (typeof launched === "string") throw new Error(`PostgreSQL did not start: ${launched}`);
  const { port } = launched;
  let { child } = launched;

  const url = (databaseName: string) => `postgres://postgres@127.0.0.1:${port}/${databaseName}`;
  return {
    url,
    createDatabase: async (template = "template1") => {
      const name = `test_${randomUUID().replaceAll("-", "")}`;
      const client = new pg.Client({ connectionString: url("postgres") });
      await client.connect();
      try {
        await client.query(`create database ${name} template ${template}`);
      } finally {
        await client.end();
      }
      return url(name);
    },
    restart: async (meanwhile) => {
      await stopChild(child);
      await meanwhile?.();
      const again = await launchAt(port);
      if (typeof again === "string") throw new Error(`PostgreSQL did not start again: ${again}`);
      ({ child } = again);
    },
    stop: async () => {
      process.off("exit", killWithUs);
      await stopChild(child);
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
