import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleHelp, CirclePause, Unplug } from "lucide-react";
import { useState } from "react";
import type { Connection, Run } from "#contract/entities.ts";
import { formatExact } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { isAdmin, useSession } from "../../shell/shell-data.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { useModelName } from "../activity/activity.queries.ts";
import { ResolveDialog } from "../activity/resolve-dialog.tsx";
import { useRunTitle } from "../activity/run-row.tsx";
import { mayApprove } from "../activity/waiting.ts";
import { GoOnWithAll } from "../activity/waiting-shelf.tsx";
import { connectionsQuery } from "../models/models.queries.ts";
import styles from "./home.module.css";

const shownMost = 4;

/** Runs that wait for this person's word, unconfirmed ones, and connections that fail and that this person can mend. */
export function NeedsYou({ runs, waiting }: { runs: readonly Run[]; waiting: readonly Run[] }) {
  const { project, user } = useSession();
  const mine = waiting.filter((run) => mayApprove(run, project, user));
  const { data } = useQuery(connectionsQuery);
  const failing = data?.connections.filter(({ status, mayManage }) => status === "failing" && mayManage) ?? [];
  const count = runs.length + mine.length + failing.length;
  if (count === 0) return null;
  const shown = runs.slice(0, shownMost);
  return (
    <section className={styles.section}>
      <h2 className={styles.title}>
        {t("home.needs")}
        <small>{count}</small>
      </h2>
      <div className={styles.cards}>
        {mine.length > 0 && <WaitingCard runs={mine} />}
        {shown.map((run) => (
          <UnconfirmedCard key={run.id} run={run} />
        ))}
        {failing.map((connection) => (
          <ConnectionCard key={connection.id} connection={connection} />
        ))}
      </div>
      {runs.length > shown.length && (
        <p className={styles.more}>
          <Link to="/activity" search={{ show: "unknown" }}>
            {t("home.needs.more", { count: runs.length - shown.length })}
          </Link>
        </p>
      )}
    </section>
  );
}

function WaitingCard({ runs }: { runs: readonly Run[] }) {
  const restored = runs.filter(({ waitingFor }) => waitingFor === "restore");
  return (
    <article className={styles.card}>
      <CirclePause aria-hidden className={styles.warn} />
      <div className={styles.cardWords}>
        <h3 className={styles.cardTitle}>{t("home.needs.waiting", { count: runs.length })}</h3>
        <p className={styles.cardText}>{restored.length > 0 ? t("home.needs.waiting.restore") : t("home.needs.waiting.budget")}</p>
        <div className={styles.cardActions}>
          <Link to="/activity" search={{ show: "open" }} className={buttonClass()}>
            {t("home.needs.waiting.look")}
          </Link>
          {restored.length > 0 && <GoOnWithAll count={restored.length} />}
        </div>
      </div>
    </article>
  );
}

function UnconfirmedCard({ run }: { run: Run }) {
  const { project } = useSession();
  const title = useRunTitle(run);
  const model = useModelName(run);
  const [isDeciding, setDeciding] = useState(false);
  const when = formatExact(run.startedAt ?? run.createdAt);
  return (
    <article className={styles.card}>
      <CircleHelp aria-hidden className={styles.warn} />
      <div className={styles.cardWords}>
        <h3 className={styles.cardTitle}>{t("home.needs.unknown")}</h3>
        <p className={styles.cardText}>{t("home.needs.unknown.text", { title: title.slice(0, 120), model, when })}</p>
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

function ConnectionCard({ connection }: { connection: Connection }) {
  const { user } = useSession();
  const to = connection.scope === "instance" && isAdmin(user) ? "/admin/$section" : "/settings/$section";
  return (
    <article className={styles.card}>
      <Unplug aria-hidden className={styles.bad} />
      <div className={styles.cardWords}>
        <h3 className={styles.cardTitle}>{t("home.needs.connection", { name: connection.name })}</h3>
        <p className={styles.cardText}>{connection.statusDetail || t("home.needs.connection.text")}</p>
        <Link to={to} params={{ section: "connections" }} search={{ connection: connection.id }} className={buttonClass()}>
          {t("home.needs.connection.open")}
        </Link>
      </div>
    </article>
  );
}
