/**
 * `npm run screenshots`: takes the README's screenshots again, in a studio that
 * test/screenshots/main.ts fills. Arguments select some of them.
 */
import { join } from "node:path";
import { programEnvironment, root } from "./environment.mjs";
import { runScript } from "./problem.mjs";
import { setUp } from "./set-up.mjs";
import { supervise } from "./supervise.mjs";

await runScript(async () => {
  const node = await setUp({ withBuild: true, withTests: true });
  const args = [join(root, "test", "screenshots", "main.ts"), ...process.argv.slice(2)];
  process.exitCode = await supervise(node, args, { cwd: root, env: programEnvironment(node) });
});
