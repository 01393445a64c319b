/** What stops the set-up: one sentence for a person, saying what to do. Anything else that is thrown is a fault of ours and shows its stack. */
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
