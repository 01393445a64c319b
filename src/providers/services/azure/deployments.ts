import type { JsonObject } from "#contract/json.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { Task } from "#contract/tasks.ts";
import { ProviderError } from "../../adapter.ts";
import { offeredTasks } from "../openai-compatible/offered-tasks.ts";

/** A deployment, by the name that a person gave it. */
export type Deployment = { name: string; model: string; task?: Task };

const tasks = [...offeredTasks, "video"] as const;

/**
 * Reads the option `deployments`: "chat = gpt-5.5, voice = tts-1, mine = new-model : image". The
 * model defaults to the name, and the task to the model's known task.
 * @throws ProviderError "invalid_input" with the reason
 */
export function readDeployments(options: JsonObject): Deployment[] {
  const { deployments } = options;
  if (typeof deployments !== "string") return [];
  const seen = new Set<string>();
  return deployments
    .split(/[,;\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
    .map((entry) => {
      const [, name = "", model = name, wanted] =
        /^([^\s=:]+)\s*(?:=\s*([^\s=:]+))?\s*(?::\s*(\S+))?$/.exec(entry) ?? [];
      if (!name)
        throw refuse(
          `"${entry}" is not understood. Write it as name = model, or name = model : task.`,
        );
      const task = tasks.find((known) => known === wanted);
      if (wanted && !task)
        throw refuse(`"${wanted}" is no task of this kind: ${tasks.join(", ")}.`);
      if (seen.has(name)) throw refuse(sentences.cloud.deploymentTwice({ deployment: name }));
      seen.add(name);
      return { name, model, ...(task && { task }) };
    });
}

const refuse = (message: string) =>
  new ProviderError("invalid_input", "no", {
    message: sentences.cloud.deploymentsForm({ reason: message }),
    field: "options.deployments",
  });

/** Returns the model behind a deployment; an unlisted name is the model's own. */
export const modelOf = (options: JsonObject, name: string): string =>
  readDeployments(options).find((deployment) => deployment.name === name)?.model ?? name;
