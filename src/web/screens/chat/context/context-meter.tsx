import { useQuery } from "@tanstack/react-query";
import { CircleHelp, ListTree } from "lucide-react";
import { useEffect, useState } from "react";
import { type EstimateProps, useEstimate } from "../../../components/composer/use-estimate.ts";
import { conversationQuery } from "../../../data/queries/conversation.queries.ts";
import { useActions } from "../../../frame/action-button.tsx";
import { formatShare } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { ProgressRing } from "../../../ui/display/progress.tsx";
import { lazyPart } from "../../../ui/lazy-part.ts";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import { onChooseContext } from "./choose-context.tsx";
import styles from "./context.module.css";
import { describeUse, type Fullness, fullnessOf } from "./context-fullness.ts";

const ContextForm = lazyPart(() =>
  import("./context-form.tsx").then(({ ContextForm }) => ContextForm),
);

/**
 * The share of the model's context that the next request uses. A click opens the ways to make room.
 */
export function ContextMeter(props: EstimateProps) {
  const { conversationId, chosen } = props;
  const [isOpen, setOpen] = useState(false);
  const opened = useQuery(conversationQuery(conversationId)).data;
  const { data } = useEstimate(props, conversationId !== undefined);
  useEffect(() => onChooseContext(() => setOpen(true)), []);
  if (conversationId === undefined || !opened?.messages.length || !data || !chosen.model)
    return null;
  const { context } = data;
  const use = describeUse(context, chosen.model.name);
  return (
    <>
      <Meter full={fullnessOf(context)} use={use} onOpen={() => setOpen(true)} />
      <Dialog open={isOpen} onOpenChange={setOpen} title={t("context.title")} size="wide">
        <ContextForm
          {...props}
          conversationId={conversationId}
          opened={opened}
          use={context}
          onDone={() => setOpen(false)}
        />
      </Dialog>
    </>
  );
}

type MeterProps = { full: Fullness | null; use: string; onOpen: () => void };

function Meter({ full, use, onOpen }: MeterProps) {
  const shown = full ? meterText(full) : t("context.unknown.short");
  useActions([{ id: "context.choose", title: t("context.choose"), icon: ListTree, run: onOpen }]);
  return (
    <button
      type="button"
      className={styles.meter}
      data-level={full?.level ?? "unknown"}
      aria-label={t("context.meter", { shown, use })}
      data-tooltip={use}
      onClick={onOpen}
    >
      {full ? <ProgressRing value={Math.min(1, full.share)} /> : <CircleHelp aria-hidden />}
      <span className={styles.meterWords}>{shown}</span>
    </button>
  );
}

function meterText({ share, level }: Fullness): string {
  if (level === "over") return t("context.over");
  return t(level === "near" ? "context.near" : "context.calm", { share: formatShare(share) });
}
