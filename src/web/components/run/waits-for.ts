import type { Run } from "#contract/entities.ts";
import { t } from "../../messages/t.ts";

/** Whose word a queued run waits for, over a budget or a model's wish; null for any other. */
export const waitsFor = ({
  state,
  waitingFor,
}: Pick<Run, "state" | "waitingFor">): string | null =>
  state === "queued" &&
  (waitingFor === "manager" || waitingFor === "admin" || waitingFor === "asker")
    ? t(`waits.${waitingFor}`)
    : null;
