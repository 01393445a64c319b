import type { ModelDetail } from "#contract/entities.ts";
import { Problem } from "#contract/errors.ts";
import type { ModelListQuery } from "#contract/schemas/doors/anthropic.ts";
import { sentences } from "#contract/sentences/index.ts";
import type { ServerDeps } from "../../deps.ts";
import { findChatModel } from "../programs/ask.ts";
import type { Asking } from "../programs/follow.ts";
import { reachOf } from "../programs/models.ts";

type ShownModel = {
  name: string;
  title: string;
  fetchedAt: number;
  limits: ModelDetail["limits"];
};

/** Converts a model to the form that Anthropic's clients read. */
const toAnthropicModel = ({ name, title, fetchedAt, limits }: ShownModel) => ({
  type: "model" as const,
  id: name,
  display_name: title,
  created_at: new Date(fetchedAt).toISOString(),
  max_input_tokens: countOf(limits.contextTokens),
  max_tokens: countOf(limits.outputTokens),
});

const countOf = (value: unknown): number | null => (typeof value === "number" ? value : null);

/**
 * GET /v1/models for Anthropic's clients (https://docs.claude.com/en/api/models-list): the chat
 * models, in pages.
 */
export async function listAnthropicModels(
  deps: ServerDeps,
  asking: Pick<Asking, "actor" | "projectId">,
  { limit, after_id: after, before_id: before }: ModelListQuery,
) {
  const page = await deps.lists.listChatModels(reachOf(asking), { limit, after, before });
  if (!page)
    throw new Problem("invalid_input", {
      field: after === undefined ? "before_id" : "after_id",
      message: sentences.api.unknownCursor,
    });
  const data = page.models.map(toAnthropicModel);
  return {
    data,
    has_more: page.hasMore,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

/** GET /v1/models/{model} for Anthropic's clients. */
export async function getAnthropicModel(deps: ServerDeps, asking: Asking, name: string) {
  const model = await findChatModel(deps, asking, name);
  return toAnthropicModel({ ...model, name, title: model.name });
}
