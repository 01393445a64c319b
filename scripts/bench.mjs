/**
 * `npm run bench`: builds what `npm start` would run and measures it with test/bench/main.ts.
 * Arguments are passed on.
 */
import { join } from "node:path";
import { programEnvironment, root } from "./environment.mjs";
import { runScript } from "./problem.mjs";
import { setUp } from "./set-up.mjs";
import { supervise } from "./supervise.mjs";

await runScript(async () => {
  const node = await setUp({ withBuild: true, withTests: true });
  const args = [join(root, "test", "bench", "main.ts"), ...process.argv.slice(2)];
  process.exitCode = await supervise(node, args, { cwd: root, env: programEnvironment(node) });
});
