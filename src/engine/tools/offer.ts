import { type ConversationTools, conversationTools, type ModelDetail } from "#contract/entities.ts";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { tasks } from "#contract/tasks.ts";
import { isFree } from "#domain/money/free.ts";
import { propertiesOf } from "#domain/schemas/input-schema.ts";
import type { ToolDefinition } from "#providers/adapter.ts";
import { getConnection } from "#store/models/connections.ts";
import { getModel } from "#store/models/models.ts";
import { type Asker, usableModel } from "../connections/usable-model.ts";
import type { EngineDeps } from "../deps.ts";
import { libraryTools } from "./library.ts";

/** A tool under the name given to the model, as a run stores it. */
export type ToolBinding =
  | {
      name: string;
      is: "model";
      connectionId: string;
      modelId: string;
      /** Whether the tool runs without approval. */
      allowed: boolean;
    }
  | { name: string; is: "library" };

/** The tools that a conversation's settings enable; none if the settings are invalid. */
export function toolsOf(settings: unknown): ConversationTools {
  const read = conversationTools.safeParse((settings as { tools?: unknown } | null)?.tools);
  return read.success ? read.data : { models: [], library: false };
}

/** Binds a conversation's available tools to unique names. A removed model is left out. */
export async function bindTools(
  deps: EngineDeps,
  asker: Asker,
  projectId: string,
  wanted: ConversationTools,
): Promise<ToolBinding[]> {
  const bindings: ToolBinding[] = wanted.library
    ? libraryTools.map(({ name }) => ({ name, is: "library" }))
    : [];
  for (const { allowed, ...ref } of wanted.models) {
    const model = await usableModel(deps, asker, projectId, ref).catch(() => undefined);
    if (!model || !makes(model)) continue;
    const taken = new Set(bindings.map(({ name }) => name));
    const mayAct =
      allowed || (isTool(model) ? await isTrustedReader(deps, model) : isFree(model.prices));
    bindings.push({ name: freeName(model, taken), is: "model", ...ref, allowed: mayAct });
  }
  return bindings;
}

/** Whether the model makes one result from one input, unlike a chat or a live model. */
const makes = ({ tasks: [first] }: ModelDetail): boolean =>
  first !== undefined && !["chat", "live"].includes(first);

/**
 * Whether this is a tool of an external server: its calls are free here and can change anything
 * there.
 */
const isTool = ({ tasks: [first] }: Pick<ModelDetail, "tasks">): boolean => first === "tool";

/** Whether the tool declares itself read-only and the connection's manager trusts it. */
async function isTrustedReader(
  { store }: EngineDeps,
  { capabilities, connectionId }: ModelDetail,
): Promise<boolean> {
  if (capabilities.readOnly !== true) return false;
  const connection = await getConnection(store.read, connectionId);
  return (connection?.options as JsonObject | undefined)?.trust === "yes";
}

/** Letters, digits and underscores, at most 60, which every provider accepts. */
function freeName(model: ModelDetail, taken: ReadonlySet<string>): string {
  const words = (
    isTool(model)
      ? `${model.connectionName}_${model.modelId}`
      : `make_${model.tasks[0]}_${model.name}`
  )
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
  const name = words.slice(0, 56);
  for (let place = 1; ; place++) {
    const numbered = place === 1 ? name : `${name}_${place}`;
    if (!taken.has(numbered)) return numbered;
  }
}

/** The tool definitions for a model. A tool that no longer exists is not offered. */
export async function describeTools(
  deps: Pick<EngineDeps, "store">,
  bindings: readonly ToolBinding[],
): Promise<ToolDefinition[]> {
  const described = await Promise.all(
    bindings.map(async (binding): Promise<ToolDefinition | undefined> => {
      if (binding.is === "library")
        return libraryTools.find(({ name }) => name === binding.name)?.definition;
      const model = await getModel(deps.store.read, binding.connectionId, binding.modelId);
      if (!model) return undefined;
      // The tool's own description, and its input schema as its server defines it.
      if (isTool(model))
        return {
          name: binding.name,
          description: describeTool(model),
          inputSchema: model.inputSchema as JsonSchema,
        };
      return {
        name: binding.name,
        description: describe(model),
        inputSchema: simpleSchema(model.inputSchema),
      };
    }),
  );
  return described.filter((definition) => definition !== undefined);
}

function describe(model: ModelDetail): string {
  const { makes } = tasks[model.tasks[0] ?? "other"];
  const what = `Makes a ${makes.one} with ${model.name}. The result is shown to the person and saved in their library.`;
  return `${what} ${model.description}`.trim().slice(0, 1_000);
}

const describeTool = ({ name, description, connectionName }: ModelDetail): string =>
  `${description || name} (A tool of ${connectionName}.)`.slice(0, 4_200);

/**
 * Simplifies a form for a model: without screen-only properties, and with the way to name a file.
 */
function simpleSchema(schema: JsonSchema | null): JsonSchema {
  if (schema === null) return { type: "object", properties: {} };
  // Headers of a service are for the person to set.
  const properties = Object.entries(propertiesOf(schema))
    .filter(([name]) => !name.startsWith("x-"))
    .map(([name, property]) => [name, simpleProperty(property as JsonObject)]);
  const parts = {
    ...(schema.$defs !== undefined && { $defs: schema.$defs }),
    ...(schema.definitions !== undefined && { definitions: schema.definitions }),
  };
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: schema.required ?? [],
    ...parts,
  };
}

const forScreens = new Set([
  "title",
  "examples",
  "format",
  "contentMediaType",
  "$schema",
  "default",
]);
const isFile = (property: JsonObject): boolean =>
  property.format === "uri" || property.contentMediaType !== undefined;

function simpleProperty(property: JsonObject): JsonObject {
  const kept = Object.entries(property).filter(
    ([name]) => !forScreens.has(name) && !name.startsWith("x-"),
  );
  const items = property.items as JsonObject | undefined;
  const descriptions = [property.title, property.description]
    .filter((text) => typeof text === "string")
    .join(". ");
  const named =
    isFile(property) || (items && isFile(items))
      ? `${descriptions} A file of the library, as asset:<id>.`
      : descriptions;
  return {
    ...Object.fromEntries(kept),
    ...(items && { items: simpleProperty(items) }),
    ...(named.trim() && { description: named.trim().slice(0, 500) }),
  };
}
