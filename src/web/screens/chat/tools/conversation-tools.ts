import type { ConversationTools, ModelRef } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { isSameModel, toModelRef } from "../../../data/model-ref.ts";

/** The tools in a conversation's settings, which the server validates strictly. */
export function toolsOf({ tools }: Record<string, unknown>): ConversationTools {
  const { models, library } = (tools ?? {}) as Partial<ConversationTools>;
  return { models: Array.isArray(models) ? models : [], library: library === true };
}

/** How many tools still fit. */
export const roomOf = ({ models }: ConversationTools): number =>
  Math.max(0, limits.toolsPerConversation - models.length);

/** Adds as many tools as fit. New tools ask first; those already added keep their permission. */
export function withTools(tools: ConversationTools, added: readonly ModelRef[]): ConversationTools {
  const fresh = added.filter((tool) => !tools.models.some((known) => isSameModel(known, tool)));
  return {
    ...tools,
    models: [
      ...tools.models,
      ...fresh.slice(0, roomOf(tools)).map((tool) => ({ ...toModelRef(tool), allowed: false })),
    ],
  };
}

export const withoutTools = (
  tools: ConversationTools,
  removed: readonly ModelRef[],
): ConversationTools => ({
  ...tools,
  models: tools.models.filter((known) => !removed.some((tool) => isSameModel(known, tool))),
});
