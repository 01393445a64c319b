import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { CannotAsk } from "./problems.ts";
import type { Surroundings } from "./surroundings.ts";

/**
 * An approved request that may have been sent. With its idempotency key it can be sent again, and
 * the server answers with the existing run. It is stored on disk until its result is saved, because
 * a killed process can't report what it sent. It contains no API key.
 */
export type Pending = {
  key: string;
  url: string;
  /**
   * The owner of the key that sent it, and the project: under another key the same request is
   * another run.
   */
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

/** @returns whether it can be resumed; an unwritable home prevents no run */
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

/** @throws CannotAsk if there is none */
export async function readPending(env: Env, key: string): Promise<Pending> {
  const isKey = /^[\da-f-]{36}$/.test(key);
  const text = isKey ? await readFile(pathOf(env, key), "utf8").catch(() => undefined) : undefined;
  if (text === undefined)
    throw new CannotAsk(
      `There is nothing to resume as ${key}. The result was saved already, or the command was started elsewhere.`,
    );
  return JSON.parse(text) as Pending;
}
