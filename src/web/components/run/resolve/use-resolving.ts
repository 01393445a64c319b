import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Run } from "#contract/entities.ts";
import { dollarsToMicros } from "#domain/money/money.ts";
import {
  useAttachJob,
  useRecheckRun,
  useResolveRun,
  useRetryRun,
} from "../../../data/queries/activity.queries.ts";
import { t } from "../../../messages/t.ts";
import { describeError } from "../../../ui/describe-error.ts";
import { useToast } from "../../../ui/overlays/toast.tsx";

/** The actions for an unconfirmed run. */
export type Offer = "look" | "attach" | "not-made" | "made-elsewhere" | "again";

/**
 * Parses a person's dollars to micro-dollars; null for an empty field, undefined for text that
 * isn't an amount.
 */
export function readDollars(text: string): number | null | undefined {
  const trimmed = text.trim().replace(/^\$/, "");
  if (trimmed === "") return null;
  const micros = Number(dollarsToMicros(trimmed.replace(/^(\d+),(\d+)$/, "$1.$2")) ?? Number.NaN);
  return Number.isSafeInteger(micros) ? micros : undefined;
}

/** The dialog's state: the selected action, its field, and its result. */
export function useResolving(run: Run, close: () => void) {
  const [offer, setOffer] = useState<Offer | null>(null);
  const [requestId, setRequestId] = useState("");
  const [dollars, setDollars] = useState("");
  const [news, setNews] = useState<string | null>(null);
  const [resolve, look, attach, again] = [
    useResolveRun(),
    useRecheckRun(),
    useAttachJob(),
    useRetryRun(),
  ];
  const toast = useToast();
  const navigate = useNavigate();
  const costMicros = readDollars(dollars);
  const asked = { look, attach, "not-made": resolve, "made-elsewhere": resolve, again };
  const { error } = offer ? asked[offer] : resolve;
  const isOfField = error ? describeError(error).field === "requestId" : false;
  // The same id, submitted again after a message named the difference.
  const isRepeated =
    attach.error !== null &&
    describeError(attach.error).field === "evenIfDifferent" &&
    attach.variables?.requestId === requestId.trim();

  const choose = (next: Offer) => {
    for (const { reset } of [resolve, look, attach, again]) reset();
    setNews(null);
    setOffer(next);
  };
  const end = (text: string) => {
    close();
    toast({ text });
  };
  const onFound = ({ found }: { found: boolean }) =>
    found
      ? end(t(run.state === "unconfirmed" ? "run.resolve.found" : "run.look.found"))
      : setNews(t("run.resolve.notFound"));
  /**
   * The feed may report the run's end and close the dialog before the answer arrives, so that the
   * mutation's own callbacks would never be called. A refusal is in the mutation's `error`.
   */
  const after = <T>(answer: Promise<T>, then: (value: T) => void) =>
    void answer.then(then, () => undefined);
  const confirm = () => {
    setNews(null);
    const runId = run.id;
    if (offer === "look") after(look.mutateAsync(runId), onFound);
    else if (offer === "attach")
      after(
        attach.mutateAsync({ runId, requestId: requestId.trim(), evenIfDifferent: isRepeated }),
        onFound,
      );
    else if (offer === "again")
      after(again.mutateAsync(runId), ({ run: fresh }) => {
        close();
        const onAction = () =>
          void navigate({ to: "/activity/$runId", params: { runId: fresh.id } });
        toast({ text: t("run.retry.done"), action: { label: t("run.open"), onAction } });
      });
    else if (offer) {
      const word =
        offer === "not-made"
          ? { outcome: offer }
          : { outcome: offer, costMicros: costMicros ?? null };
      after(resolve.mutateAsync({ runId, word }), () => end(t("run.resolve.done")));
    }
  };
  return {
    offer,
    /** Submits the same id again after the message that it seems to belong to another run. */
    isRepeated: offer === "attach" && isRepeated,
    choose,
    confirm,
    requestId,
    setRequestId,
    dollars,
    setDollars,
    news,
    error: isOfField ? null : error,
    idProblem: isOfField && error ? describeError(error).title : null,
    costProblem: costMicros === undefined ? t("run.resolve.cost.wrong") : null,
    isIncomplete:
      (offer === "attach" && requestId.trim() === "") ||
      (offer === "made-elsewhere" && costMicros === undefined),
    isPending: [resolve, look, attach, again].some((mutation) => mutation.isPending),
  };
}
