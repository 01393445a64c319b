import type { Asset, Model, Run, RunWarning } from "#contract/entities.ts";
import type { JsonObject } from "#contract/json.ts";
import { type Modality, type Task, tasks } from "#contract/tasks.ts";
import { amountOfInput } from "../money/count-units.ts";

/**
 * Whether a task's only outputs are files of its own kind. Text, embeddings and tool results may
 * come without any.
 */
export function promisesFiles(task: Task): boolean {
  const outputs: readonly Modality[] = tasks[task].outputs;
  return outputs.every((output) => output !== "text" && output !== "file");
}

/**
 * The warning for a complete answer that lacks requested files.
 * @param made the kinds of its files; null for a file that couldn't be downloaded
 */
export function missingOutputs(
  { task, input }: Pick<Run, "task" | "input">,
  capabilities: Model["capabilities"],
  made: readonly (Asset["kind"] | null)[],
): RunWarning | null {
  if (made.length === 0 || !promisesFiles(task)) return null;
  const [kind] = tasks[task].outputs;
  const { one, many } = tasks[task].makes;
  const received = made.filter((file) => file === null || file === kind).length;
  const asked =
    (kind === "image" || kind === "video"
      ? amountOfInput(kind, input as JsonObject, capabilities)?.count
      : undefined) ?? 1;
  if (received >= asked) return null;
  const message =
    received === 0
      ? `The provider gave no ${one}.`
      : `The provider gave ${received} of ${asked} ${many}.`;
  return { type: "missing", feature: "outputs", message };
}
