import { keepPreviousData, queryOptions, useQueries, useQuery } from "@tanstack/react-query";
import type { ModelDetail } from "#contract/entities.ts";
import { call } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { toModelRef } from "../../data/model-ref.ts";
import { conversationQuery } from "../../data/queries/conversation.queries.ts";
import { useDebounced } from "../../ui/use-debounced.ts";
import { type ChatSettings, settingsFor } from "./chat-settings.ts";
import type { DraftFile } from "./message-draft.ts";
import type { ChosenModel } from "./use-chosen-model.ts";

/** Pause after the last key before the estimate is requested. */
const pauseMs = 400;
/** Rounds the length, because the price doesn't change noticeably with each letter. */
const roundTo = 40;

export type EstimateProps = {
  projectId: string;
  conversationId: string | undefined;
  parentId: string | null;
  text: string;
  files: readonly DraftFile[];
  chosen: ChosenModel;
  /** The models that answer side by side. */
  others?: readonly ModelDetail[];
  conversation: { systemPrompt: string; settings: Record<string, unknown> };
};

/** The estimated cost and context of the next answer, updated while the person types. */
export function useEstimate(props: EstimateProps, isWanted: boolean) {
  const asked = useDebounced(askOf(props), pauseMs);
  const state = useStateOf(props);
  return useQuery({
    ...estimateQuery(props.projectId, asked, state),
    enabled: isWanted && asked !== null,
  });
}

/** The estimates of the models that answer side by side, in order. */
export function useOtherEstimates(props: EstimateProps) {
  const { others = [], projectId } = props;
  const chosen = useDebounced(askOf(props), pauseMs);
  const state = useStateOf(props);
  return useQueries({
    queries: others.map((model) => ({
      ...estimateQuery(
        projectId,
        chosen && {
          ...chosen,
          model: toModelRef(model),
          settings: settingsFor(model.inputSchema, props.conversation.settings),
        },
        state,
      ),
      enabled: chosen !== null,
    })),
  });
}

/**
 * Changes with whatever affects the answer besides typing: a finished previous answer, or a changed
 * context choice.
 */
function useStateOf({ conversationId, parentId }: EstimateProps): string {
  const messages = useQuery(conversationQuery(conversationId)).data?.messages ?? [];
  const last = messages.find(({ id }) => id === parentId);
  const choice = messages.findLast(({ role }) => role === "context");
  return [last?.state, choice?.id, choice?.state].join(" ");
}

type EstimateAsk = {
  model: { connectionId: string; modelId: string };
  settings: ChatSettings;
  conversationId: string | undefined;
  parentId: string | null;
  summarises?: true;
  conversationSettings?: Record<string, unknown>;
  characters: number;
  bytes: number;
  attachments: string[];
};

function askOf({
  chosen,
  conversation,
  conversationId,
  parentId,
  text,
  files,
}: EstimateProps): EstimateAsk | null {
  if (!chosen.ref || chosen.isLoading) return null;
  // The server already knows an existing conversation's system prompt.
  const typed = conversationId === undefined ? `${conversation.systemPrompt}${text}` : text;
  return {
    model: chosen.ref,
    settings: settingsFor(chosen.inputSchema, conversation.settings),
    conversationId,
    parentId: conversationId === undefined ? null : parentId,
    ...(conversationId === undefined && { conversationSettings: conversation.settings }),
    characters: roundUp(typed.length),
    bytes: roundUp(new Blob([typed]).size),
    attachments: files.map(({ assetId }) => assetId),
  };
}
const roundUp = (length: number): number => Math.ceil(length / roundTo) * roundTo;

export const estimateQuery = (projectId: string, body: EstimateAsk | null, state = "") =>
  queryOptions({
    queryKey: keys.estimates(projectId, body, state),
    queryFn: ({ signal }) =>
      call("estimateAnswer", { params: { projectId }, body: body as EstimateAsk, signal }),
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 60_000,
  });
