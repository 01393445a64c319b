import { createInterface } from "node:readline/promises";
import type { RunSurroundings } from "./surroundings.ts";

/** What a command says and asks in a terminal. */
export function terminalOf({
  env,
  stdin,
  stderr,
}: NodeJS.Process): Pick<RunSurroundings, "env" | "say" | "tell" | "confirm"> {
  const confirm = async (question: string): Promise<boolean> => {
    const lines = createInterface({ input: stdin, output: stderr });
    try {
      return /^y(es)?$/i.test((await lines.question(question)).trim());
    } finally {
      lines.close();
    }
  };
  return {
    env,
    say: (line) => console.log(line),
    tell: (line) => console.error(line),
    ...(stdin.isTTY && stderr.isTTY && { confirm }),
  };
}
