import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useReducer } from "react";
import type { Run, RunEvent } from "#contract/entities.ts";
import type { NewRunEvent, RunEventType } from "#contract/events.ts";
import { runStateText } from "#contract/run-states.ts";
import { live } from "../../../data/live/live.ts";
import { runLogQuery } from "../../../data/queries/activity.queries.ts";
import { formatExact, formatMoney, formatShare } from "../../../messages/format.ts";
import { getRegion } from "../../../messages/region.ts";
import { t } from "../../../messages/t.ts";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { SkeletonText } from "../../../ui/display/skeleton.tsx";
import { isEnded } from "../run-facts.ts";
import styles from "./run-log.module.css";

/** The run's events so far, then each new one as it arrives. */
export function RunLog({ run }: { run: Run }) {
  const log = useQuery(runLogQuery(run.id));
  const [fresh, add] = useReducer(joinEvents, []);
  const isLive = !isEnded(run);
  useEffect(() => {
    if (!isLive) return undefined;
    return live().watch(`run:${run.id}`, 0, (frame) => {
      if ("events" in frame) add(frame.events);
    });
  }, [run.id, isLive]);
  if (log.error && !log.data)
    return <ErrorState compact error={log.error} onRetry={() => void log.refetch()} />;
  if (!log.data) return <SkeletonText lines={4} />;
  const lines = foldLog(joinEvents(log.data.events, fresh));
  if (lines.length === 0) return <p className={styles.quiet}>{t("run.log.empty")}</p>;
  return (
    <div className={styles.room}>
      <ol className={styles.log}>
        {lines.map(({ event, count }) => (
          <li key={event.seq}>
            <time dateTime={new Date(event.at).toISOString()}>{formatClock(event.at)}</time>
            <span className={styles.seq}>{event.seq}</span>
            <span className={styles.words}>{describeEvent(event, count)}</span>
          </li>
        ))}
      </ol>
      {!isLive && <p className={styles.quiet}>{t("run.log.pruned")}</p>}
    </div>
  );
}

let clock: { zone: string; format: Intl.DateTimeFormat } | undefined;
/** Formats times in the person's zone. The formatter is rebuilt only if the zone changes. */
function formatClock(at: number): string {
  const { locale, timeZone } = getRegion();
  const zone = `${locale} ${timeZone}`;
  if (clock?.zone !== zone) {
    const options = {
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      fractionalSecondDigits: 3,
      hourCycle: "h23",
    } as const;
    clock = { zone, format: new Intl.DateTimeFormat(locale, { ...options, timeZone }) };
  }
  return clock.format.format(at);
}

/** Appends new events; each seq occurs once. */
export function joinEvents(known: readonly RunEvent[], fresh: readonly RunEvent[]): RunEvent[] {
  const last = known.at(-1)?.seq ?? 0;
  return [...known, ...fresh.filter(({ seq }) => seq > last)];
}

/**
 * Folds consecutive small events (text, progress) into one line with their number, showing the
 * last.
 */
export function foldLog(events: readonly RunEvent[]): { event: RunEvent; count: number }[] {
  const folds = new Set<string>([
    "text-delta",
    "reasoning-delta",
    "progress",
    "preview",
  ] satisfies RunEventType[]);
  const lines: { event: RunEvent; count: number }[] = [];
  for (const event of events) {
    const last = lines.at(-1);
    if (last && last.event.type === event.type && folds.has(event.type)) {
      last.event = event;
      last.count += 1;
    } else lines.push({ event, count: 1 });
  }
  return lines;
}

function describeEvent(event: RunEvent, count: number): ReactNode {
  const { type, payload } = event as NewRunEvent;
  const pieces = count > 1 ? ` · ${t("run.log.pieces", { count })}` : "";
  switch (type) {
    case "run-started":
      return t("run.event.run-started", payload);
    case "run-requeued":
      return `${t("run.event.run-requeued")} · ${payload.reason}`;
    case "queue-place":
      return t("run.event.queue-place", payload);
    case "progress": {
      const { done, total, label } = payload;
      const share = total > 0 && t("run.event.progress", { share: formatShare(done / total) });
      return `${[share, label].filter(Boolean).join(" · ") || t("run.event.run-running")}${pieces}`;
    }
    case "log":
      return payload.lines.map(({ message }) => message).join("\n");
    case "model-passed-over": {
      const { reason, costMicros } = payload;
      if (!costMicros) return t("run.event.model-passed-over", { reason });
      return t("run.event.model-passed-over.cost", { reason, cost: formatMoney(costMicros) });
    }
    case "source":
      return t("run.event.source", { title: payload.title });
    case "session-held":
      return t("run.event.session-held", {
        amount: formatMoney(payload.heldMicros),
      });
    case "session-ended":
      return t("run.event.session-ended", payload);
    case "run-storing":
      return t("run.event.run-storing", payload);
    case "output-stored":
      return t("run.event.output-stored", {
        index: payload.index + 1,
      });
    case "output-delayed": {
      const { index, reason } = payload;
      return t("run.event.output-delayed", { index: index + 1, reason });
    }
    case "output-expiring": {
      const { index, expiresAt } = payload;
      return t("run.event.output-expiring", { index: index + 1, when: formatExact(expiresAt) });
    }
    case "warning":
      return t("run.event.warning", { message: payload.message });
    case "run-settled": {
      const { state, error } = payload;
      return [
        t("run.event.run-settled", { state: runStateText(state).toLowerCase() }),
        error?.message,
      ]
        .filter(Boolean)
        .join(" · ");
    }
    default:
      return `${t(`run.event.${type}`)}${pieces}`;
  }
}
