import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import type { RunSurroundings } from "./surroundings.ts";

/** A command's output and questions in a terminal. */
export function terminalOf({
  env,
  stdin,
  stderr,
}: NodeJS.Process): Pick<RunSurroundings, "env" | "say" | "tell" | "confirm"> {
  const confirm = async (question: string): Promise<boolean> => {
    const lines = createInterface({ input: stdin, output: stderr });
    try {
      // Ctrl-C and the end of the input close the question without an answer, which doesn't count
      // as yes.
      const closed = once(lines, "close").then(() => "");
      const answer = await Promise.race([lines.question(question), closed]);
      return /^y(es)?$/i.test(answer.trim());
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
