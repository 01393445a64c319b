import { t } from "../../messages/t.ts";
import { Countdown } from "../../ui/display/time.tsx";

/** Why a run waits, and when it is tried again: null where that waits for a person. */
export type WaitsFor = { reason: string; notBefore: number | null };

/** The countdown to the next try; nothing where no time is known. */
export function NextTry({ waitsFor: { notBefore } }: { waitsFor: WaitsFor }) {
  if (notBefore === null) return null;
  return (
    <>
      {t("ui.nextTry")} <Countdown until={notBefore} />
    </>
  );
}
