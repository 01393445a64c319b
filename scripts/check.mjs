/**
 * `npm run check`: types, formatting, lint, imports between folders, and words, in a few lines if
 * everything passes.
 */
import { runChecks } from "./checks.mjs";
import { runScript } from "./problem.mjs";
import { say } from "./progress.mjs";
import { setUp } from "./set-up.mjs";

await runScript(async () => {
  const node = await setUp({ withBuild: false, withTests: true });
  const results = await runChecks(node);
  for (const { name, passed, output } of results) {
    say(`${passed ? "passed" : "FAILED"}  ${name}`);
    if (!passed) say(output.trimEnd());
  }
  process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
});
