import { useQuery } from "@tanstack/react-query";
import { CircleHelp } from "lucide-react";
import { lazy, useEffect, useState } from "react";
import { limits } from "#contract/limits.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { type EstimateProps, useEstimate } from "../../../components/composer/use-estimate.ts";
import { conversationQuery } from "../../../data/queries/chat.queries.ts";
import { formatCount, formatShare } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { ProgressRing } from "../../../ui/display/progress.tsx";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import styles from "./context.module.css";
import { onContextChoice } from "./context-opener.ts";

const ContextForm = lazy(() =>
  import("./context-form.tsx").then(({ ContextForm }) => ({ default: ContextForm })),
);

export type ContextUse = RouteOutput<"estimateAnswer">["context"];

/** How full a context is with the next answer: calm, nearly full, or more than fits. */
export type Fullness = { share: number; level: "calm" | "near" | "over" };
export function fullnessOf({
  inputTokens,
  neededTokens,
  contextTokens,
}: ContextUse): Fullness | null {
  if (contextTokens === null) return null;
  const share = (inputTokens + neededTokens) / contextTokens;
  return { share, level: share > 1 ? "over" : share >= limits.contextWarnShare ? "near" : "calm" };
}

/** How much of the model's context the next request takes, in the composer's foot; it opens what one can do about it. */
export function ContextMeter(props: EstimateProps) {
  const { conversationId, chosen } = props;
  const [isOpen, setOpen] = useState(false);
  const opened = useQuery(conversationQuery(conversationId)).data;
  const { data } = useEstimate(props, conversationId !== undefined);
  useEffect(() => onContextChoice(() => setOpen(true)), []);
  if (
    conversationId === undefined ||
    !opened ||
    opened.messages.length === 0 ||
    !data ||
    !chosen.model
  )
    return null;
  const { context } = data;
  const full = fullnessOf(context);
  const shown = full ? meterWords(full) : t("context.unknown.short");
  const use = wordsOfUse(context, chosen.model.name);
  return (
    <>
      <button
        type="button"
        className={styles.meter}
        data-level={full?.level ?? "unknown"}
        aria-label={t("context.meter", { shown, use })}
        data-tooltip={use}
        onClick={() => setOpen(true)}
      >
        {full ? <ProgressRing value={Math.min(1, full.share)} /> : <CircleHelp aria-hidden />}
        <span className={styles.meterWords}>{shown}</span>
      </button>
      <Dialog open={isOpen} onOpenChange={setOpen} title={t("context.title")} size="wide">
        <ContextForm
          {...props}
          conversationId={conversationId}
          messages={opened.messages}
          use={context}
          onDone={() => setOpen(false)}
        />
      </Dialog>
    </>
  );
}

function meterWords({ share, level }: Fullness): string {
  if (level === "over") return t("context.over");
  return t(level === "near" ? "context.near" : "context.calm", { share: formatShare(share) });
}

/** The whole of it in a sentence: what is counted, what is estimated, what nobody can count. */
export function wordsOfUse(
  { inputTokens, outputTokens, contextTokens, isAbout, uncountedFiles }: ContextUse,
  name: string,
): string {
  const tokens = formatCount(inputTokens);
  const words =
    contextTokens === null
      ? t(isAbout ? "context.use.unknownAbout" : "context.use.unknown", { tokens, name })
      : t(isAbout ? "context.use.about" : "context.use", {
          tokens,
          most: formatCount(contextTokens),
          answer: formatCount(outputTokens),
          name,
        });
  return uncountedFiles > 0
    ? `${words} ${t("context.use.uncounted", { count: uncountedFiles })}`
    : words;
}
