import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { call } from "../../data/client.ts";
import { formatPrice } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { kindsQuery } from "./chat.queries.ts";
import type { ChatComposerProps } from "./chat-composer.tsx";
import { type ChatSettings, settingsFor } from "./chat-settings.ts";

/** So long after the last key the price is asked for. */
const pauseMs = 400;
/** Prices change with every few words, not with every letter. */
const roundTo = 40;

export type NextPriceProps = Pick<
  ChatComposerProps,
  "projectId" | "conversationId" | "parentId" | "chosen" | "conversation" | "text" | "files"
>;

/** What the next answer will likely cost, and on hover what it can't pass, while the person types. */
export function NextPrice(props: NextPriceProps) {
  const kinds = useQuery(kindsQuery).data?.kinds;
  const { model } = props.chosen;
  const asked = useSettled(askOf(props));
  // What is built in is no kind that one can connect, and so not among them.
  const isFree = model && (model.connectionKind === "builtin" || kinds?.some(({ kind, free }) => free && kind === model.connectionKind));
  const isPriced = model !== null && model.prices.length > 0;
  const { data } = useQuery({ ...estimateQuery(props.projectId, asked), enabled: asked !== null && !isFree && isPriced });
  if (!model || !kinds) return null;
  if (isFree) return formatPrice({ kind: "free" });
  if (isPriced && !data) return null;
  if (!data || data.likelyMicros === null) return formatPrice({ kind: "unknown" });
  const most =
    data.mostMicros === null ? undefined : t("money.answerMost", { price: formatPrice({ kind: "at-most", micros: data.mostMicros }) });
  return (
    <span data-tooltip={most}>
      {formatPrice(data.likelyMicros === 0 ? { kind: "free" } : { kind: "about", micros: data.likelyMicros })}
    </span>
  );
}

type EstimateAsk = {
  model: { connectionId: string; modelId: string };
  settings: ChatSettings;
  conversationId: string | undefined;
  parentId: string | null;
  characters: number;
  bytes: number;
  attachments: string[];
};

function askOf({ chosen, conversation, conversationId, parentId, text, files }: NextPriceProps): EstimateAsk | null {
  if (!chosen.ref || chosen.isLoading) return null;
  // An existing conversation's own prompt is known to the server.
  const typed = conversationId === undefined ? `${conversation.systemPrompt}${text}` : text;
  return {
    model: chosen.ref,
    settings: settingsFor(chosen.inputSchema, conversation.settings),
    conversationId,
    parentId: conversationId === undefined ? null : parentId,
    characters: roundUp(typed.length),
    bytes: roundUp(new Blob([typed]).size),
    attachments: files.map(({ assetId }) => assetId),
  };
}
const roundUp = (length: number): number => Math.ceil(length / roundTo) * roundTo;

const estimateQuery = (projectId: string, body: EstimateAsk | null) =>
  queryOptions({
    queryKey: ["answer-estimate", projectId, body],
    queryFn: ({ signal }) => call("estimateAnswer", { params: { projectId }, body: body as EstimateAsk, signal }),
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 60_000,
  });

/** A value once it has stood for a moment. */
function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  const key = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [key]);
  return settled;
}
