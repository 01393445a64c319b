import { Link } from "@tanstack/react-router";
import { CircleHelp } from "lucide-react";
import { useState } from "react";
import type { Run } from "#contract/entities.ts";
import { t } from "../../messages/t.ts";
import { useSession } from "../../shell/shell-data.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { useModelName } from "../activity/activity.queries.ts";
import { ResolveDialog } from "../activity/resolve-dialog.tsx";
import { useRunTitle } from "../activity/run-row.tsx";
import { useUnknown } from "../activity/unknown-facts.ts";
import styles from "./home.module.css";

/** A run of which nobody knows whether it was made: what is known, and the way to decide. */
export function UnconfirmedCard({ run }: { run: Run }) {
  const { project } = useSession();
  const title = useRunTitle(run);
  const model = useModelName(run);
  const [isDeciding, setDeciding] = useState(false);
  const words = useUnknown(run).words ?? "";
  return (
    <article className={styles.card}>
      <CircleHelp aria-hidden className={styles.warn} />
      <div className={styles.cardWords}>
        <h3 className={styles.cardTitle}>{t("home.needs.unknown")}</h3>
        <p className={styles.cardText}>{t("home.needs.unknown.text", { title: title.slice(0, 120), model, words })}</p>
        <div className={styles.cardActions}>
          <Link to="/activity/$runId" params={{ runId: run.id }} className={buttonClass()}>
            {t("home.needs.look")}
          </Link>
          {project.role !== "viewer" && (
            <Button variant="ghost" onClick={() => setDeciding(true)}>
              {t("run.decide")}
            </Button>
          )}
        </div>
        <ResolveDialog run={run} open={isDeciding} onOpenChange={setDeciding} />
      </div>
    </article>
  );
}
