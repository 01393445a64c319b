import { useQuery } from "@tanstack/react-query";
import type { Run } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { runQuery } from "../../../data/queries/shared.queries.ts";
import { formatExact, formatMoney } from "../../../messages/format.ts";
import { getRegion } from "../../../messages/region.ts";
import { t } from "../../../messages/t.ts";
import { useNow } from "../../../ui/display/time.tsx";

type Facts = {
  run: Pick<Run, "heldMicros" | "isFree" | "startedAt" | "createdAt">;
  sentAt: number | null;
};

/**
 * "at 14:02:11" for a time today, "on 20 November 2026 at 14:02:11" for any other, in the person's
 * zone.
 */
export function formatMoment(at: number, now: number): string {
  const { locale, timeZone } = getRegion();
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone });
  const day = format({ dateStyle: "short" });
  const time = format({ timeStyle: "medium", hourCycle: "h23" });
  return day.format(at) === day.format(now)
    ? t("run.at", { time: time.format(at) })
    : t("run.on", { when: formatExact(at) });
}

/** A sentence with the time an unconfirmed run was sent and its possible cost. */
export function sayUnconfirmed({ run, sentAt }: Facts, now: number): string {
  const when = formatMoment(sentAt ?? run.startedAt ?? run.createdAt, now);
  const amount = formatMoney(run.heldMicros);
  if (run.heldMicros > 0)
    return t(sentAt === null ? "run.unconfirmed.perhaps" : "run.unconfirmed.sent", {
      when,
      amount,
    });
  if (run.isFree)
    return t(sentAt === null ? "run.unconfirmed.perhaps.free" : "run.unconfirmed.sent.free", {
      when,
    });
  return t(sentAt === null ? "run.unconfirmed.perhaps.unpriced" : "run.unconfirmed.sent.unpriced", {
    when,
  });
}

const sentAtOf = (detail: RouteOutput<"getRun"> | undefined): number | null =>
  detail?.attempts.findLast(({ sentAt }) => sentAt !== null)?.sentAt ?? null;

/** The sentence for a run once its attempts load, and the checks that its provider supports. */
export function useUnconfirmed(run: Run, isWanted = run.state === "unconfirmed") {
  const now = useNow();
  const { data } = useQuery({ ...runQuery(run.id), enabled: isWanted });
  return {
    /** The time that the run was sent, and its possible cost. */
    words: data && isWanted ? sayUnconfirmed({ run, sentAt: sentAtOf(data) }, now) : null,
    provider: data?.model?.connectionName ?? t("ui.provider"),
    canLook: data?.askable.canLook ?? false,
    canAttach: data?.askable.canAttach ?? false,
    canCancel: data?.askable.canCancel ?? false,
  };
}
