import type { Json } from "#contract/json.ts";
import type { CallContext } from "../../adapter.ts";
import { isRecord } from "../../wire/error-fields.ts";
import { ask } from "./call.ts";

/** Facts about an input from GET /object_info: its type or its choices, and other properties. */
export type InputInfo = {
  type: string;
  choices: Json[] | null;
  facts: { [fact: string]: Json };
  isRequired: boolean;
};
type NodeInfo = {
  name: string;
  isOutput: boolean;
  /** The node calls a paid service in the name of a Comfy account. */
  isPaid: boolean;
  inputs: ReadonlyMap<string, InputInfo>;
  /** The types of its outputs. */
  outputs: readonly string[];
};
export type NodeInfos = ReadonlyMap<string, NodeInfo>;

/**
 * The whole list is megabytes on a server with many extensions, so only the needed types are
 * requested, a few at a time.
 */
const askedAtOnce = 6;

/**
 * Reads these node types from the server. Types it doesn't have are left out.
 * @throws ProviderError
 */
export async function readNodeInfos(
  context: CallContext,
  types: Iterable<string>,
): Promise<NodeInfos> {
  const infos = new Map<string, NodeInfo>();
  const waiting = [...new Set(types)];
  while (waiting.length > 0) {
    await Promise.all(
      waiting.splice(0, askedAtOnce).map(async (type) => {
        const answer = await ask(context, { path: `object_info/${encodeURIComponent(type)}` });
        if (Object.hasOwn(answer, type) && isRecord(answer[type]))
          infos.set(type, toNodeInfo(type, answer[type]));
      }),
    );
  }
  return infos;
}

function toNodeInfo(type: string, info: Record<string, unknown>): NodeInfo {
  const { required, optional } = isRecord(info.input) ? info.input : {};
  const read = (group: unknown, isRequired: boolean) =>
    Object.entries(isRecord(group) ? group : {}).map(
      ([name, spec]) => [name, toInputInfo(spec, isRequired)] as const,
    );
  return {
    name: typeof info.display_name === "string" && info.display_name ? info.display_name : type,
    isOutput: info.output_node === true,
    isPaid: info.api_node === true,
    inputs: new Map([...read(optional, false), ...read(required, true)]),
    // A list of choices in place of a type means a choice.
    outputs: (Array.isArray(info.output) ? info.output : []).map((type) =>
      Array.isArray(type) ? "COMBO" : String(type),
    ),
  };
}

/** `["INT", {min, max}]`, `[["euler", "dpm"], {…}]`, or since 2025 `["COMBO", {options: […]}]`. */
function toInputInfo(spec: unknown, isRequired: boolean): InputInfo {
  const [type, given] = Array.isArray(spec) ? spec : [spec];
  const facts = (isRecord(given) ? given : {}) as InputInfo["facts"];
  const choices = Array.isArray(type)
    ? (type as Json[])
    : Array.isArray(facts.options)
      ? facts.options
      : null;
  return { type: choices ? "COMBO" : String(type), choices, facts, isRequired };
}
