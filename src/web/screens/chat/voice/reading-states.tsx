import { Link } from "@tanstack/react-router";
import { Volume2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Run } from "#contract/entities.ts";
import { formatPrice, type Price } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button, buttonClass } from "../../../ui/controls/button.tsx";
import { Checkbox } from "../../../ui/controls/checkbox.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { ProgressBar } from "../../../ui/display/progress.tsx";
import { useStopRun } from "../answer/use-stop-run.ts";
import styles from "./read-aloud.module.css";

type AskFirstProps = {
  name: string;
  price: Price;
  parts: number;
  choices: ReactNode;
  onYes: (isAlways: boolean) => void;
};

/** Asks for confirmation before the first part that costs money. */
export function AskFirst({ name, price, parts, choices, onYes }: AskFirstProps) {
  const [isAlways, setAlways] = useState(false);
  return (
    <div className={styles.ask}>
      <p className={styles.title}>
        {t("voice.mayRead", { name, price: formatPrice(price), parts })}
      </p>
      <Checkbox label={t("voice.always")} checked={isAlways} onCheckedChange={setAlways} />
      <div className={styles.line}>
        {choices}
        <Button variant="primary" icon={Volume2} onClick={() => onYes(isAlways)}>
          {t("voice.read")}
        </Button>
      </div>
    </div>
  );
}

type MakingProps = {
  run: Run | null;
  place: number;
  count: number;
  choices: ReactNode;
  onStop: () => void;
};

/**
 * A part that is being made. Cancelling closes the player, so that the part isn't started again.
 */
export function Making({ run, place, count, choices, onStop }: MakingProps) {
  const words = count > 1 ? t("voice.making.part", { place: place + 1, count }) : t("voice.making");
  const cancelRun = useStopRun(run?.id ?? null);
  return (
    <div className={styles.line}>
      <span role="status">{run?.waitingFor ? t("voice.waits") : words}</span>
      {run?.waitingFor ? (
        <RunLink run={run} />
      ) : (
        <div className={styles.bar}>
          <ProgressBar label={words} value={null} tone="busy" />
        </div>
      )}
      {run && (
        <Button
          variant="ghost"
          onClick={() => {
            cancelRun();
            onStop();
          }}
        >
          {t("ui.cancel")}
        </Button>
      )}
      {choices}
    </div>
  );
}

export function Failed({
  run,
  choices,
  onAgain,
}: {
  run: Run;
  choices: ReactNode;
  onAgain?: () => void;
}) {
  if (run.state === "unconfirmed")
    return (
      <div className={styles.line} role="alert">
        <span>{t("voice.unconfirmed")}</span>
        <RunLink run={run} />
      </div>
    );
  return <ErrorState compact error={run.error} onRetry={onAgain} action={choices} />;
}

function RunLink({ run }: { run: Run }) {
  return (
    <Link
      to="/activity/$runId"
      params={{ runId: run.id }}
      className={buttonClass({ size: "small" })}
    >
      {t("voice.openRun")}
    </Link>
  );
}
