import type { Run } from "#contract/entities.ts";
import { t } from "../messages/t.ts";

/** Whose word a queued run waits for, because it is over a budget; null for any other. */
export const waitsFor = ({ state, waitingFor }: Pick<Run, "state" | "waitingFor">): string | null =>
  state === "queued" && (waitingFor === "manager" || waitingFor === "admin") ? t(`waits.${waitingFor}`) : null;
