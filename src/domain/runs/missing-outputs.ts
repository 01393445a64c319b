import type { Asset, Model, Run, RunWarning } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { type Modality, type Task, tasks } from "#contract/tasks.ts";
import { amountOfInput } from "../money/count-units.ts";

/** Tasks whose only output is a file of their own kind. Words, embeddings and what a server calls a result may come without any. */
export function promisesFiles(task: Task): boolean {
  const outputs: readonly Modality[] = tasks[task].outputs;
  return outputs.every((output) => output !== "text" && output !== "file");
}

/**
 * The warning of a whole answer that lacks files which were asked for.
 * @param made the kinds of the files it came with; null: a file that could not be fetched
 */
export function missingOutputs(
  { task, input }: Pick<Run, "task" | "input">,
  capabilities: Model["capabilities"],
  made: readonly (Asset["kind"] | null)[],
): RunWarning | null {
  if (made.length === 0 || !promisesFiles(task)) return null;
  const [kind] = tasks[task].outputs;
  const { one, many } = tasks[task].makes;
  const came = made.filter((file) => file === null || file === kind).length;
  const asked =
    (kind === "image" || kind === "video"
      ? amountOfInput(kind, input as JsonObject, capabilities)?.count
      : undefined) ?? 1;
  if (came >= asked) return null;
  const message =
    came === 0 ? `The provider gave no ${one}.` : `The provider gave ${came} of ${asked} ${many}.`;
  return { type: "missing", feature: "outputs", message };
}
