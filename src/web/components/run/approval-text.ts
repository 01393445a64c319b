import type { Run } from "#contract/entities.ts";
import { t } from "../../messages/t.ts";

/**
 * Who has to approve a queued run, because of a budget or at a model's request; null for any other
 * run.
 */
export function approvalText({
  state,
  waitingFor,
  heldMicros,
}: Pick<Run, "state" | "waitingFor" | "heldMicros">): string | null {
  if (state !== "queued") return null;
  if (waitingFor === "asker") return t("waits.asker");
  return waitingFor === "manager" || waitingFor === "admin"
    ? t(`waits.${waitingFor}`, { isPriced: String(heldMicros > 0) })
    : null;
}
