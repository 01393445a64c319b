import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createTempFolder } from "../temp.ts";

/** A command started with piped output, which can be awaited. */
export type Launched = {
  child: ChildProcess;
  output(): string;
  /**
   * Resolves once the output matches, with the match; rejects if the command ends without a match.
   */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
};

/**
 * A person's shell environment, without variables of the npm that runs these tests, and with a
 * separate npm cache and settings.
 */
export function shellEnvironment(registryUrl: string): Record<string, string | undefined> {
  const isForeign = (name: string) =>
    /^(npm_|VITEST|BOTTEGA_)/i.test(name) ||
    /^(https?|all)_proxy$/i.test(name) ||
    name === "NODE_ENV";
  const folder = createTempFolder("npm");
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !isForeign(name))),
    npm_config_registry: registryUrl,
    npm_config_cache: join(folder, "cache"),
    npm_config_userconfig: join(folder, "npmrc"),
    npm_config_update_notifier: "false",
  };
}

export function launch(
  command: string,
  args: string[],
  options: { cwd: string; env: Record<string, string | undefined> },
): Launched {
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  let isOver = false;
  const waiting = new Set<() => void>();
  const look = () => {
    for (const check of [...waiting]) check();
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      look();
    });
  }
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>(
    (resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code, signal) => {
        isOver = true;
        look();
        resolve({ code, signal });
      });
    },
  );
  const until = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const check = () => {
        const match = pattern.exec(text);
        if (!match && !isOver) return;
        waiting.delete(check);
        if (match) resolve(match);
        else reject(new Error(`Ended without ${pattern}; it said:\n${text}`));
      };
      waiting.add(check);
      check();
    });
  return { child, output: () => text, until, ended };
}
