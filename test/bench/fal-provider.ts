import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { findFreePort } from "../support/server/free-port.ts";

export type FalProvider = {
  url: string;
  key: string;
  addresses: Record<string, string>;
  stop(): Promise<void>;
};

const program = join(import.meta.dirname, "..", "simulators", "fal.ts");

/**
 * The fal simulator in a separate process, which inherits the load's core. `frameMs` is a realtime
 * model's time per frame.
 */
export async function startFalProvider(frameMs: number): Promise<FalProvider> {
  const port = await findFreePort();
  const child = spawn(
    process.execPath,
    [program, "--port", String(port), "--frame", String(frameMs)],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  let text = "";
  await new Promise<void>((resolve, reject) => {
    createInterface(child.stdout).on("line", (line) => {
      text += `${line}\n`;
      if (line === "}") resolve();
    });
    child.once("exit", () => reject(new Error("The fal simulator did not start.")));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    key: /^key (.+)$/m.exec(text)?.[1] ?? "",
    addresses: JSON.parse(text.slice(text.indexOf("{"))) as Record<string, string>,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}
