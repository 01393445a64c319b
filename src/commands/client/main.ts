/** The standalone command that a server offers: `npx <its address>/cli.tgz run …`. */
import { runUsage } from "./run-arguments.ts";
import { runModel } from "./run-model.ts";
import { terminalOf } from "./terminal.ts";

/** Set by the server that offers this file: src/server/command-line.ts. */
const servedFrom = "BOTTEGA_SERVED_FROM";

const [command, ...args] = process.argv.slice(2);
if (command === "run")
  process.exitCode = await runModel(args, {
    ...terminalOf(process),
    fetch: globalThis.fetch,
    ...(URL.canParse(servedFrom) && { servedFrom }),
  });
else {
  console.log(runUsage);
  process.exitCode = command === undefined || command === "help" || command === "--help" ? 0 : 2;
}
