import { Link, linkOptions } from "@tanstack/react-router";
import { CirclePause, Unplug, Webhook } from "lucide-react";
import type { Connection, OwnInvite, Run } from "#contract/entities.ts";
import type { EpochReason } from "#contract/waiting-reasons.ts";
import { connectionPage } from "../../components/connections/connection-link.tsx";
import { ApproveAll } from "../../components/run/waiting-shelf.tsx";
import { StorageCard } from "../../components/storage/storage-card.tsx";
import { groupBy } from "../../data/group-by.ts";
import { t } from "../../messages/t.ts";
import { buttonClass } from "../../ui/controls/button.tsx";
import { NoticeCard } from "../../ui/display/notice-card.tsx";
import { ListMore } from "../../ui/lists/list-more.tsx";
import { useFirstFew } from "../../ui/lists/use-first-few.ts";
import { BudgetCards } from "./budget-cards.tsx";
import { DecideCard } from "./decide-card.tsx";
import { ExpiringCard } from "./expiring-card.tsx";
import styles from "./home.module.css";
import { InviteLines } from "./invite-lines.tsx";
import { UnconfirmedLine } from "./unconfirmed-line.tsx";
import type { Needs } from "./use-needs.ts";

const maxShown = 4;

/**
 * Unconfirmed runs, invitations, storage problems, expiring results, runs that need this person's
 * approval, failing connections they can fix, their paused webhooks, and nearly spent budgets.
 */
export function NeedsYou({
  unconfirmed,
  invites,
  needs,
}: {
  unconfirmed: readonly Run[];
  invites: readonly OwnInvite[];
  needs: Needs;
}) {
  const { storage, expiring, approvals, held, failing, webhooks, budgets } = needs;
  const waiting = useFirstFew(approvals.rows, approvals.query, maxShown);
  return (
    <div className={styles.needsAll}>
      <h2 className={styles.title}>{t("home.needs")}</h2>
      <UnconfirmedLine runs={unconfirmed} />
      {invites.length > 0 && <InviteLines invites={invites} />}
      <div className={styles.cards}>
        {storage.map((one) => (
          <StorageCard key="storage" storage={one} />
        ))}
        {expiring.map((run) => (
          <ExpiringCard key={run.id} run={run} />
        ))}
        {waiting.shown.map((one) => (
          <DecideCard key={one.runId} waiting={one} />
        ))}
        {waiting.more.hasNextPage && (
          <div className={styles.moreCards}>
            <ListMore query={waiting.more} of={t("home.needs.approvals")} />
          </div>
        )}
        {[...groupBy(held, ({ reason }) => reason)].map(([reason, { length }]) => (
          <WaitingCard key={reason} reason={reason} count={length} />
        ))}
        {failing.map((connection) => (
          <ConnectionCard key={connection.id} connection={connection} />
        ))}
        {webhooks.map((webhook) => (
          <WebhookCard key={webhook.id} webhook={webhook} />
        ))}
        {budgets.length > 0 && <BudgetCards budgets={budgets} />}
      </div>
    </div>
  );
}

/** A failing connection that this person can fix. */
function ConnectionCard({ connection }: { connection: Connection }) {
  return (
    <NoticeCard
      icon={Unplug}
      tone="bad"
      title={t("home.needs.connection", { name: connection.name })}
      text={connection.statusDetail || t("home.needs.connection.text")}
    >
      <Link {...connectionPage(connection)} className={buttonClass()}>
        {t("ui.connection.open", { name: connection.name })}
      </Link>
    </NoticeCard>
  );
}

/** A webhook of this person that is paused. */
function WebhookCard({
  webhook: { projectId, url, pausedWhy },
}: {
  webhook: Needs["webhooks"][number];
}) {
  const page =
    projectId === null
      ? linkOptions({ to: "/admin/$section", params: { section: "budgets" } })
      : linkOptions({ to: "/projects/$id", params: { id: projectId } });
  return (
    <NoticeCard
      icon={Webhook}
      tone="bad"
      title={t("home.needs.webhook", { host: new URL(url).host })}
      text={pausedWhy ?? ""}
    >
      <Link {...page} className={buttonClass()}>
        {t("home.needs.webhook.open")}
      </Link>
    </NoticeCard>
  );
}

/** Runs on hold since a restore or a copy, which this person can resume. */
function WaitingCard({ reason, count }: { reason: EpochReason; count: number }) {
  return (
    <NoticeCard
      icon={CirclePause}
      tone="warn"
      title={t("home.needs.waiting", { count })}
      text={`${t(`waiting.${reason}`)} ${t("home.needs.waiting.webhooks")}`}
    >
      <Link to="/activity" search={{ show: "open" }} className={buttonClass()}>
        {t("home.needs.waiting.look")}
      </Link>
      <ApproveAll reason={reason} count={count} />
    </NoticeCard>
  );
}
