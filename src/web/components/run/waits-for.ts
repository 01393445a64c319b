import type { Run } from "#contract/entities.ts";
import { t } from "../../messages/t.ts";

/** Whose approval a queued run waits for, because of a budget or because a model requested it; null for any other. */
export function waitsFor({
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
