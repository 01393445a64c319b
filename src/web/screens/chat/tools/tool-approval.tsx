import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Run } from "#contract/entities.ts";
import { call } from "../../../data/client.ts";
import { refreshConversation } from "../../../data/queries/conversation.queries.ts";
import { runQuery } from "../../../data/queries/shared.queries.ts";
import { formatMoney } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";
import styles from "./tool-round.module.css";

type ToolRunProps = { run: Run; conversationId: string };

/** Sends a person's decision and refreshes what it changes. */
function useDecision({ run, conversationId }: ToolRunProps) {
  const queryClient = useQueryClient();
  const showError = useErrorToast();
  const [isSending, setSending] = useState(false);
  const send = async (decision: () => Promise<unknown>) => {
    setSending(true);
    try {
      await decision();
    } catch (error) {
      showError(error);
    } finally {
      setSending(false);
      await queryClient.invalidateQueries({ queryKey: runQuery(run.id).queryKey });
      const changed = new Set(run.messageId === null ? [] : [run.messageId]);
      await refreshConversation(queryClient, conversationId, changed);
    }
  };
  return { isSending, send };
}

/** Asks a person to approve a run with its highest price, or a server tool that changes something elsewhere. */
export function ApproveTool({ run, conversationId }: ToolRunProps) {
  const { isSending, send } = useDecision({ run, conversationId });
  const isTool = run.task === "tool";
  const params = { runId: run.id };
  const allow = (always: boolean) =>
    void send(() => call("approveRun", { params, body: { always } }));
  const price =
    run.heldMicros > 0
      ? t("chat.tools.most", { price: formatMoney(run.heldMicros) })
      : t("chat.tools.unpriced");
  return (
    <div className={styles.decide}>
      <Button size="small" variant="primary" disabled={isSending} onClick={() => allow(false)}>
        {t(isTool ? "chat.tools.use" : "chat.tools.yes")}
      </Button>
      {isTool && (
        <Button size="small" disabled={isSending} onClick={() => allow(true)}>
          {t("chat.tools.always")}
        </Button>
      )}
      <Button
        size="small"
        variant="ghost"
        disabled={isSending}
        onClick={() => void send(() => call("cancelRun", { params }))}
      >
        {t("chat.tools.no")}
      </Button>
      <span className={styles.price}>{isTool ? t("chat.tools.writes") : price}</span>
    </div>
  );
}

/** Asks the person whether a call without an answer took effect. */
export function ConfirmToolCall({ run, conversationId }: ToolRunProps) {
  const { isSending, send } = useDecision({ run, conversationId });
  const say = (outcome: "made-elsewhere" | "not-made") =>
    void send(() => call("resolveRun", { params: { runId: run.id }, body: { outcome } }));
  return (
    <>
      <p className={styles.asked}>{t("chat.tools.unanswered.text")}</p>
      <div className={styles.decide}>
        <Button size="small" disabled={isSending} onClick={() => say("made-elsewhere")}>
          {t("chat.tools.unanswered.yes")}
        </Button>
        <Button size="small" disabled={isSending} onClick={() => say("not-made")}>
          {t("chat.tools.unanswered.no")}
        </Button>
      </div>
    </>
  );
}
