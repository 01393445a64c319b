import type { Asset } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { StoredPart, StoredTurn } from "#engine/plan/turns.ts";
import { getAssetsIn } from "#store/content/assets.ts";
import type { ServerDeps } from "../../deps.ts";
import { writtenInput } from "../programs/earlier-answers.ts";
import type { Asking } from "../programs/follow.ts";
import { textOf } from "./response-object.ts";
import { requireKept, turnsAsked } from "./stored-responses.ts";
import { type OfferedTool, readTools, textOfCall } from "./tools.ts";

type Page = { order: "asc" | "desc"; limit: number; after?: string | undefined };
type Item = Record<string, unknown>;

/**
 * GET /v1/responses/{id}/input_items (OpenAI API reference): the model's input without
 * instructions. Files are `asset:<id>`, a form that requests accept.
 */
export async function listInputItems(
  deps: ServerDeps,
  asking: Asking,
  responseId: string,
  { order, limit, after }: Page,
): Promise<Response> {
  const kept = await requireKept(deps, asking, responseId);
  const turns = turnsAsked(kept);
  const { offered } = readTools(kept.asked.tools ?? []);
  const files = await filesIn(deps, asking, turns);
  const items: { id: string }[] = turns
    .flatMap((turn) => itemsOf(turn, offered, files))
    .map((item, i) => ({ ...item, id: `item_${kept.run.id}_${i}` }));
  if (order === "desc") items.reverse();
  const last = after === undefined ? -1 : items.findIndex(({ id }) => id === after);
  if (after !== undefined && last < 0)
    throw new Problem("invalid_input", { field: "after", message: sentences.api.unknownCursor });
  const data = items.slice(last + 1, last + 1 + limit);
  return asking.c.json({
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: last + 1 + limit < items.length,
  });
}

async function filesIn(
  deps: Pick<ServerDeps, "store">,
  { actor, projectId }: Asking,
  turns: readonly StoredTurn[],
): Promise<ReadonlyMap<string, Asset>> {
  const ids = turns.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "file" ? [part.assetId] : [])),
  );
  const assets = await getAssetsIn(deps.store.read, projectId, actor.userId, [...new Set(ids)]);
  return new Map(assets.map((asset) => [asset.id, asset]));
}

const status = "completed";

function itemsOf(
  { role, parts }: StoredTurn,
  offered: ReadonlyMap<string, OfferedTool>,
  files: ReadonlyMap<string, Asset>,
): Item[] {
  if (role === "user" || role === "system") {
    const content = parts.flatMap((part) => contentOf(part, files));
    return content.length > 0 ? [{ type: "message", role, status, content }] : [];
  }
  return parts.flatMap((part): Item[] => {
    if (part.type === "text")
      return [{ type: "message", role: "assistant", status, content: [textOf(part.text)] }];
    if (part.type === "reasoning")
      return part.text === ""
        ? []
        : [{ type: "reasoning", summary: [{ type: "summary_text", text: part.text }], status }];
    if (part.type !== "tool-call" && part.type !== "tool-result") return [];
    const tool: OfferedTool = offered.get(part.name) ?? { type: "function", name: part.name };
    const isCustom = tool.type === "custom";
    const call = { call_id: part.callId, status };
    const named = {
      name: tool.name,
      ...(tool.namespace !== undefined && { namespace: tool.namespace }),
    };
    if (part.type === "tool-result")
      return [
        {
          type: isCustom ? "custom_tool_call_output" : "function_call_output",
          ...call,
          output: part.output,
        },
      ];
    return [
      isCustom
        ? { type: "custom_tool_call", ...call, ...named, input: textOfCall(part) }
        : { type: "function_call", ...call, ...named, arguments: writtenInput(part) },
    ];
  });
}

function contentOf(part: StoredPart, files: ReadonlyMap<string, Asset>): Item[] {
  if (part.type === "text") return [{ type: "input_text", text: part.text }];
  if (part.type !== "file") return [];
  const file = files.get(part.assetId);
  const address = `asset:${part.assetId}`;
  return file?.kind === "image"
    ? [{ type: "input_image", image_url: address, detail: "auto", file_id: null }]
    : [{ type: "input_file", file_url: address, ...(file && { filename: file.title }) }];
}
