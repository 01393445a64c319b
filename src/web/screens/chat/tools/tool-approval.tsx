import { useQueryClient } from "@tanstack/react-query";
import { Ban, Check, CheckCheck } from "lucide-react";
import { useState } from "react";
import type { Run } from "#contract/entities.ts";
import { call } from "../../../data/client.ts";
import { refreshConversation } from "../../../data/queries/conversation.queries.ts";
import { runQuery } from "../../../data/queries/shared.queries.ts";
import { type RowAction, useRowActions } from "../../../frame/action-menu.tsx";
import { formatMoney } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button, type ButtonProps } from "../../../ui/controls/button.tsx";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";
import styles from "./tool-round.module.css";

type ApproveToolProps = {
  run: Run;
  /** The subject of the decision, by which the palette lists it. */
  name: string;
  conversationId: string;
};

/** Sends a person's decision and refreshes what it changes. */
function useDecision({ run, conversationId }: Omit<ApproveToolProps, "name">) {
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

type Decision = RowAction & Pick<ButtonProps, "variant">;

/**
 * Asks a person to approve a run with its maximum price, or a server tool that changes something
 * elsewhere. The palette has the decisions on the whole screen, because the answer waits for one.
 */
export function ApproveTool({ run, name, conversationId }: ApproveToolProps) {
  const { isSending, send } = useDecision({ run, conversationId });
  const isTool = run.task === "tool";
  const params = { runId: run.id };
  const allow = (always: boolean) =>
    void send(() => call("approveRun", { params, body: { always } }));
  const refuse = () => void send(() => call("cancelRun", { params }));
  const price =
    run.heldMicros > 0
      ? t("chat.tools.most", { price: formatMoney(run.heldMicros) })
      : t("chat.tools.unpriced");
  const approve: Decision = {
    id: "approve",
    title: t(isTool ? "chat.tools.use" : "chat.tools.yes"),
    icon: Check,
    variant: "primary",
    run: () => allow(false),
  };
  const always: Decision = {
    id: "always",
    title: t("chat.tools.always"),
    icon: CheckCheck,
    run: () => allow(true),
  };
  const decline: Decision = {
    id: "decline",
    title: t("chat.tools.no"),
    icon: Ban,
    variant: "ghost",
    run: refuse,
  };
  const decisions = isTool ? [approve, always, decline] : [approve, decline];
  const subject = isTool ? name : [name, price].join(" · ");
  const at = useRowActions<HTMLDivElement>(subject, isSending ? [] : decisions, true);
  return (
    <div ref={at} className={styles.decide}>
      {decisions.map(({ id, title, variant, run: decide }) => (
        <Button key={id} size="small" variant={variant} disabled={isSending} onClick={decide}>
          {title}
        </Button>
      ))}
      <span className={styles.price}>{isTool ? t("chat.tools.writes") : price}</span>
    </div>
  );
}
