import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy } from "react";
import type { Run } from "#contract/entities.ts";
import { waitingQuery } from "../../components/budgets/budgets.queries.ts";
import { t } from "../../messages/t.ts";
import { useSession } from "../../shell/shell-data.ts";
import { Part } from "../../ui/part.tsx";
import { isWaiting, mayApprove } from "../activity/waiting.ts";
import { connectionsQuery } from "../models/models.queries.ts";
import { ConnectionCard } from "./connection-card.tsx";
import { DecideCard } from "./decide-card.tsx";
import { ExpiringCard, isExpiring } from "./expiring-card.tsx";
import styles from "./home.module.css";
import { useNearBudgets } from "./near-budgets.ts";
import { UnconfirmedCard } from "./unconfirmed-card.tsx";
import { WaitingCard } from "./waiting-card.tsx";

const BudgetCards = lazy(() => import("./budget-cards.tsx").then(({ BudgetCards }) => ({ default: BudgetCards })));
const shownMost = 4;

/** Unconfirmed runs first, then results that are about to be lost, runs that wait for this person's word, budgets that are nearly spent, and connections that fail and that they can mend. */
export function NeedsYou({ runs }: { runs: readonly Run[] }) {
  const { project, user } = useSession();
  const { data } = useQuery(connectionsQuery);
  const failing = data?.connections.filter(({ status, mayManage }) => status === "failing" && mayManage) ?? [];
  const unknown = runs.filter(({ state }) => state === "unknown");
  const expiring = runs.filter(isExpiring);
  const restored = runs.filter((run) => run.waitingFor === "restore" && isWaiting(run) && mayApprove(run, project, user));
  const waiting = useQuery(waitingQuery).data ?? [];
  const budgets = useNearBudgets();
  const count = unknown.length + expiring.length + waiting.length + restored.length + failing.length + budgets.length;
  if (count === 0) return null;
  const shown = unknown.slice(0, shownMost);
  return (
    <section className={styles.section}>
      <h2 className={styles.title}>
        {t("home.needs")}
        <small>{count}</small>
      </h2>
      <div className={styles.cards}>
        {shown.map((run) => (
          <UnconfirmedCard key={run.id} run={run} />
        ))}
        {expiring.map((run) => (
          <ExpiringCard key={run.id} run={run} />
        ))}
        {waiting.slice(0, shownMost).map((one) => (
          <DecideCard key={one.runId} waiting={one} />
        ))}
        {restored.length > 0 && <WaitingCard runs={restored} />}
        {failing.map((connection) => (
          <ConnectionCard key={connection.id} connection={connection} />
        ))}
        {budgets.length > 0 && (
          <Part>
            <BudgetCards budgets={budgets} />
          </Part>
        )}
      </div>
      {unknown.length > shown.length && (
        <p className={styles.more}>
          <Link to="/activity" search={{ show: "unknown" }}>
            {t("home.needs.more", { count: unknown.length - shown.length })}
          </Link>
        </p>
      )}
    </section>
  );
}
