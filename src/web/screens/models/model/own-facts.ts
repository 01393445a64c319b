import type { ModelDetail, OwnFacts } from "#contract/entities.ts";
import { statableCapabilities } from "#contract/filters/model-filters.ts";
import type { Modality, Task } from "#contract/tasks.ts";
import { t } from "../../../messages/t.ts";

type Capability = (typeof statableCapabilities)[number];
export type FactsDraft = {
  contextTokens: string;
  outputTokens: string;
  task: Task | undefined;
  inputModalities: Modality[];
  outputModalities: Modality[];
  capabilities: Partial<Record<Capability, boolean>>;
};
type Shown = Pick<
  ModelDetail,
  "limits" | "tasks" | "inputModalities" | "outputModalities" | "capabilities" | "ownFacts"
>;

const written = (value: unknown): string => (typeof value === "number" ? String(value) : "");

/** The current details as a draft. */
export const toDraft = ({
  limits,
  tasks,
  inputModalities,
  outputModalities,
  capabilities,
}: Shown): FactsDraft => ({
  contextTokens: written(limits.contextTokens),
  outputTokens: written(limits.outputTokens),
  task: tasks[0],
  inputModalities,
  outputModalities,
  capabilities: Object.fromEntries(
    statableCapabilities.map((name) => [name, capabilities[name] === true]),
  ),
});

/** Parses "128,000" and "128 000". Undefined if it isn't a number; null if it is empty. */
function readTokens(text: string): number | null | undefined {
  const bare = text.replace(/[\s,_'’.]/g, "");
  if (bare === "") return null;
  const count = Number(bare);
  return Number.isInteger(count) && count >= 1 && count <= 1_000_000_000 ? count : undefined;
}

export const tokensProblem = (text: string): string | null =>
  readTokens(text) === undefined ? t("models.source.notTokens") : null;

/**
 * Only the edited details and earlier edits, so that all others follow the provider. Undefined if a
 * number is invalid.
 */
export function changedFacts(model: Shown, draft: FactsDraft): OwnFacts | null | undefined {
  const before = toDraft(model);
  const facts: OwnFacts = { ...model.ownFacts?.facts };
  for (const name of ["contextTokens", "outputTokens"] as const) {
    const tokens = readTokens(draft[name]);
    if (tokens === undefined) return undefined;
    if (draft[name] === before[name]) continue;
    if (tokens === null) delete facts[name];
    else facts[name] = tokens;
  }
  for (const name of ["inputModalities", "outputModalities"] as const)
    if (draft[name].length > 0 && draft[name].join() !== before[name].join())
      facts[name] = draft[name];
  if (draft.task && draft.task !== before.task) facts.task = draft.task;
  const changed = statableCapabilities.filter(
    (name) => draft.capabilities[name] !== before.capabilities[name],
  );
  if (changed.length > 0)
    facts.capabilities = {
      ...facts.capabilities,
      ...Object.fromEntries(changed.map((name) => [name, draft.capabilities[name] === true])),
    };
  return Object.keys(facts).length > 0 ? facts : null;
}
