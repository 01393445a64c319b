/**
 * Builds whatever isn't current: dist/ from src/, the command line dist/cli.mjs, and dist/web with
 * the notices from src/web with Vite. Needs Node 24 and installed packages, which start.mjs
 * provides.
 */
import { buildClient } from "./build-client.mjs";
import { buildServer } from "./build-server.mjs";
import { lookAtStep } from "./build-steps.mjs";
import { capture, firstLines } from "./child.mjs";
import { programEnvironment, root } from "./environment.mjs";
import { writeStamp } from "./fingerprint.mjs";
import { writeNotices } from "./notices.mjs";
import { runScript, SetupProblem } from "./problem.mjs";
import { findTool } from "./tools.mjs";

async function buildWeb() {
  const { isCurrent, now } = lookAtStep("web");
  if (isCurrent) return;
  const { code, output } = await capture(
    process.execPath,
    [findTool("vite"), "build", "--logLevel", "warn"],
    {
      cwd: root,
      env: { ...programEnvironment(process.execPath), NODE_ENV: "production" },
    },
  );
  if (code !== 0)
    throw new SetupProblem(
      `The browser app could not be built; Vite said:\n${firstLines(output, 30)}`,
    );
  writeNotices();
  writeStamp("web", now);
}

await runScript(async () => {
  buildServer();
  await buildClient();
  await buildWeb();
});
