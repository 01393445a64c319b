/**
 * `npm run soak`: drives the real server through faults and kills with test/soak/main.ts. Arguments
 * are passed on.
 */
import { join } from "node:path";
import { programEnvironment, root } from "./environment.mjs";
import { runScript } from "./problem.mjs";
import { setUp } from "./set-up.mjs";
import { supervise } from "./supervise.mjs";

await runScript(async () => {
  const node = await setUp({ withBuild: false, withTests: true });
  const args = [join(root, "test", "soak", "main.ts"), ...process.argv.slice(2)];
  process.exitCode = await supervise(node, args, { cwd: root, env: programEnvironment(node) });
});
