import { StorageCard } from "../../components/storage/storage-card.tsx";
import { t } from "../../messages/t.ts";
import { BudgetCards } from "./budget-cards.tsx";
import { ConnectionCard } from "./connection-card.tsx";
import { DecideCard } from "./decide-card.tsx";
import { ExpiringCard } from "./expiring-card.tsx";
import styles from "./home.module.css";
import type { Needs } from "./use-needs.ts";
import { WaitingCard } from "./waiting-card.tsx";

const shownMost = 4;

/** A storage that needs an admin, results that are about to be lost, runs that wait for this person's approval, connections that fail and that they can repair, and budgets that are nearly spent. */
export function NeedsYou({ needs }: { needs: Needs }) {
  const { storage, expiring, waiting, restored, failing, budgets, count } = needs;
  return (
    <section className={styles.section}>
      <h2 className={styles.title}>
        {t("home.needs")}
        <small>{count}</small>
      </h2>
      <div className={styles.cards}>
        {storage.map((one) => (
          <StorageCard key="storage" storage={one} />
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
        {budgets.length > 0 && <BudgetCards budgets={budgets} />}
      </div>
    </section>
  );
}
