import { CircleHelp } from "lucide-react";
import { useState } from "react";
import type { OwnInvite, Run } from "#contract/entities.ts";
import { formatMoney } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { lazyPart } from "../../ui/lazy-part.ts";
import { Part } from "../../ui/part.tsx";
import styles from "./home.module.css";
import type { Needs } from "./use-needs.ts";

const NeedsYou = lazyPart(() => import("./needs-you.tsx").then(({ NeedsYou }) => NeedsYou));

type All = { unconfirmed: readonly Run[]; invites: readonly OwnInvite[]; needs: Needs };

/** Lists the items that need the person, each kind in a few words. */
function listNeeds({ unconfirmed, invites, needs }: All): string[] {
  const held = unconfirmed.reduce((sum, run) => sum + run.heldMicros, 0);
  const unpriced = unconfirmed.filter(({ heldMicros, isFree }) => heldMicros === 0 && !isFree);
  const approvals = needs.approvals.count + needs.held.length;
  const counted = (id: Parameters<typeof t>[0], count: number) =>
    count > 0 ? [t(id, { count })] : [];
  return [
    ...(unconfirmed.length > 0
      ? [
          t("home.need.unconfirmed", {
            count: unconfirmed.length,
            hasAmount: String(held > 0),
            amount: formatMoney(held),
            unpriced: unpriced.length,
          }),
        ]
      : []),
    ...counted("home.need.approvals", approvals),
    ...counted("home.need.expiring", needs.expiring.length),
    ...counted("home.need.connections", needs.failing.length),
    ...counted("home.need.webhooks", needs.webhooks.length),
    ...counted("home.need.budgets", needs.budgets.length),
    ...counted("home.need.storage", needs.storage.length),
    ...counted("home.need.invites", invites.length),
  ];
}

/**
 * One line for all items that need the person; "Review" shows them below. Its room is reserved
 * while it loads, so that nothing moves.
 */
export function NeedsLine({ isLoading, ...all }: All & { isLoading: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const { unconfirmed, invites, needs } = all;
  const count = unconfirmed.length + invites.length + needs.count;
  const [first, ...more] = listNeeds(all);
  if (isLoading || count === 0 || first === undefined) return <div className={styles.needsPlace} />;
  return (
    <section className={styles.needsPlace} aria-label={t("home.needs")}>
      <div className={styles.needs}>
        <CircleHelp aria-hidden />
        <p>
          <strong>{t("home.need", { count })}</strong>{" "}
          <span>{t("home.need.list", { list: [first, ...more].join(", ") })}</span>
        </p>
        <Button
          size="small"
          aria-expanded={isOpen}
          aria-controls="home-needs"
          onClick={() => setOpen(!isOpen)}
        >
          {t(isOpen ? "home.need.hide" : "home.need.review")}
        </Button>
      </div>
      <div id="home-needs" hidden={!isOpen}>
        {isOpen && (
          <Part>
            <NeedsYou {...all} />
          </Part>
        )}
      </div>
    </section>
  );
}
