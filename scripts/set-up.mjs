import { join } from "node:path";
import { BUILD_STEPS, lookAtStep } from "./build-steps.mjs";
import { capture } from "./child.mjs";
import { programEnvironment, root } from "./environment.mjs";
import { arePackagesCurrent, bringPackages } from "./packages.mjs";
import { SetupProblem } from "./problem.mjs";
import { withProgress } from "./progress.mjs";
import { bringNode, findNode } from "./runtime.mjs";
import { withSetUpLock } from "./set-up-lock.mjs";

const isBuilt = () => Object.keys(BUILD_STEPS).every((step) => lookAtStep(step).isCurrent);

async function build(node) {
  if (isBuilt()) return;
  await withProgress("building", async () => {
    // Node still calls stripTypeScriptTypes experimental; its output is what Node itself runs.
    const args = ["--disable-warning=ExperimentalWarning", join(root, "scripts", "build.mjs")];
    const { code, output } = await capture(node, args, {
      cwd: root,
      env: programEnvironment(node),
    });
    if (code !== 0) throw new SetupProblem(output.trimEnd());
  });
}

/**
 * Prepares this checkout for running: Node 24, packages, and the build if it is wanted. Only
 * outdated parts are renewed; if everything is current, it prints nothing and takes about 30 ms.
 * @param {{ withBuild: boolean, withTests?: boolean }} options withBuild: also dist/; development
 *   and tests run from src/. withTests: also the packages for tests, checks and benchmarks
 * @returns {Promise<string>} the path of the Node to run with
 * @throws {import("./problem.mjs").SetupProblem}
 */
export async function setUp({ withBuild, withTests = false }) {
  const extent = withTests ? "tests" : "program";
  const found = findNode();
  if (found && arePackagesCurrent(extent) && (!withBuild || isBuilt())) return found;
  let node = "";
  await withSetUpLock(async () => {
    node = await bringNode();
    await bringPackages(node, extent);
    if (withBuild) await build(node);
  });
  return node;
}
