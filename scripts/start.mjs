/** `npm start`: prepares the checkout and runs the server with the given arguments. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { programEnvironment, root } from "./environment.mjs";
import { runScript } from "./problem.mjs";
import { serverArgs } from "./server-args.mjs";
import { setUp } from "./set-up.mjs";
import { supervise } from "./supervise.mjs";

await runScript(async () => {
  const node = await setUp({ withBuild: true });
  const preload = pathToFileURL(join(root, "scripts", "stop-with-launcher.mjs")).href;
  const args = [
    ...serverArgs,
    `--import=${preload}`,
    join(root, "dist", "main.js"),
    ...process.argv.slice(2),
  ];
  process.exitCode = await supervise(node, args, { cwd: root, env: programEnvironment(node) });
});
