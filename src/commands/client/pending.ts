import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { CannotAsk } from "./problems.ts";
import type { Surroundings } from "./surroundings.ts";

/**
 * A request that was approved and may have been sent. With its idempotency key it can be sent again, and the server answers with the
 * run that it has. It is kept on disk until its result is saved, for a process that is killed can't say what it sent. No API key is in it.
 */
export type Pending = {
  key: string;
  url: string;
  /** Whose key began it, in which project: under another one's the same request is another run. */
  userId: string;
  projectId: string;
  kind: "answer" | "files";
  body: object;
  folder: string;
  json: boolean;
};

type Env = Surroundings["env"];

function folderOf(env: Env): string {
  const state =
    env.XDG_STATE_HOME ||
    (process.platform === "win32" && env.LOCALAPPDATA) ||
    join(env.HOME || homedir(), ".local", "state");
  return join(state, "bottega");
}

const pathOf = (env: Env, key: string): string => join(folderOf(env), `${key}.json`);

/** @returns whether it can be resumed: a home that can't be written to prevents no run */
export async function keepPending(env: Env, pending: Pending): Promise<boolean> {
  try {
    await mkdir(folderOf(env), { recursive: true, mode: 0o700 });
    await writeFile(pathOf(env, pending.key), JSON.stringify(pending), { mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}

export const dropPending = (env: Env, { key }: Pending): Promise<void> =>
  rm(pathOf(env, key), { force: true }).catch(() => undefined);

/** @throws CannotAsk where there is none */
export async function readPending(env: Env, key: string): Promise<Pending> {
  const isKey = /^[\da-f-]{36}$/.test(key);
  const text = isKey ? await readFile(pathOf(env, key), "utf8").catch(() => undefined) : undefined;
  if (text === undefined)
    throw new CannotAsk(
      `There is nothing to resume as ${key}. The result was saved already, or the command was started elsewhere.`,
    );
  return JSON.parse(text) as Pending;
}
