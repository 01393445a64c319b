import type { WaitsFor } from "../../data/run-stream.ts";
import { t } from "../../messages/t.ts";
import { Countdown } from "../../ui/display/time.tsx";

/** The countdown to the next attempt; renders nothing if its time isn't known. */
export function NextAttempt({ waitsFor: { notBefore } }: { waitsFor: WaitsFor }) {
  if (notBefore === null) return null;
  return (
    <>
      {t("ui.nextTry")} <Countdown until={notBefore} />
    </>
  );
}
