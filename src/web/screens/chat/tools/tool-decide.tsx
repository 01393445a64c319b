import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Run } from "#contract/entities.ts";
import { call } from "../../../data/client.ts";
import { conversationQuery } from "../../../data/queries/chat.queries.ts";
import { runQuery } from "../../../data/queries/shared.queries.ts";
import { formatMoney } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";
import styles from "./tool-round.module.css";

type DecideProps = { run: Run; conversationId: string };

/** Sends a person's word, says what is wrong with it, and asks anew for what it changed. */
function useWord({ run, conversationId }: DecideProps) {
  const queryClient = useQueryClient();
  const showError = useErrorToast();
  const [isSending, setSending] = useState(false);
  const send = async (word: () => Promise<unknown>) => {
    setSending(true);
    try {
      await word();
    } catch (error) {
      showError(error);
    } finally {
      setSending(false);
      await queryClient.invalidateQueries({ queryKey: runQuery(run.id).queryKey });
      await queryClient.invalidateQueries({ queryKey: conversationQuery(conversationId).queryKey });
    }
  };
  return { isSending, send };
}

/** The person's word on what costs money, with the most that it may cost, or on what may change something elsewhere. */
export function Decide({ run, conversationId }: DecideProps) {
  const { isSending, send } = useWord({ run, conversationId });
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

/** What nobody but the person can know: whether a call that was never answered did its work. */
export function Unanswered({ run, conversationId }: DecideProps) {
  const { isSending, send } = useWord({ run, conversationId });
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
