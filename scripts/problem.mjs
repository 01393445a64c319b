/**
 * Ends the setup with one sentence for a person, with the next step. All other errors are bugs and
 * show their stack.
 */
export class SetupProblem extends Error {}

/**
 * Runs an entry script. A `SetupProblem` becomes its sentence on stderr and exit code 1.
 * @param {() => Promise<void>} work
 */
export async function runScript(work) {
  try {
    await work();
  } catch (error) {
    process.exitCode = 1;
    console.error(error instanceof SetupProblem ? error.message : error);
  }
}
