import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, chownSync, mkdirSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { patienceMs } from "../patience.ts";
import { findFreePort } from "../server/free-port.ts";
import { findPostgres, type PostgresBinaries } from "./postgres-binaries.ts";

/** A running PostgreSQL for the tests. */
export type PostgresCluster = {
  url(databaseName: string): string;
  /** Creates an empty database, or a copy of one without connections, and returns its URL. */
  createDatabase(template?: string): Promise<string>;
  /** Ends every session, stays down during `meanwhile`, and returns at the same address. */
  restart(meanwhile?: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
};

const PORT_TRIES = 3;

/**
 * For a cluster with hundreds of databases that each live for a few seconds: autovacuum starts a
 * process in one database after another, long after their tests have ended.
 */
export const forShortLives = [
  "autovacuum=off",
  "bgwriter_lru_maxpages=0",
  "full_page_writes=off",
  "jit=off",
  "max_wal_senders=0",
  "wal_level=minimal",
];

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

/**
 * Starts the server on this port.
 * @returns its output if it ended immediately, as it does if another process has taken the port
 */
async function launch(
  binaries: PostgresBinaries,
  dataFolder: string,
  onSpawn: (child: ChildProcess) => void,
  port: number,
  more: readonly string[],
): Promise<{ child: ChildProcess; port: number } | string> {
  const log: Buffer[] = [];
  // Tests kill processes but not the machine, so a dead process's writes survive without fsync, and
  // nothing has to wait for the disk. No Unix socket, because its path may be too long.
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
  for (const endMs = Date.now() + patienceMs; Date.now() < endMs; await wait(50)) {
    if (child.exitCode !== null || child.signalCode !== null) break;
    if (await isReady(url)) return { child, port };
  }
  child.kill("SIGKILL");
  return Buffer.concat(log).toString("utf8");
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  // SIGINT is PostgreSQL's fast shutdown, which doesn't wait for clients that are still connected.
  child.kill("SIGINT");
  await ended;
}

/**
 * Starts a real PostgreSQL with an empty cluster in a temporary folder.
 * @param more settings in addition to the tests', as `name=value`
 * @throws Error with the server's output if it doesn't start
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
  // Registered before the start, because a Ctrl-C during it would leave the server running for
  // good.
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
        // A copy through the log, which is the default, takes eight times as long. PostgreSQL
        // before version 18 can't clone files.
        await client.query("set file_copy_method = clone").catch(() => undefined);
        await client.query(`create database ${name} template ${template} strategy file_copy`);
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
