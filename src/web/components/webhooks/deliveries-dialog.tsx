import { useInfiniteQuery } from "@tanstack/react-query";
import { CircleAlert, CircleCheck, Clock } from "lucide-react";
import { useId, useState } from "react";
import {
  type Delivery,
  deliveriesQuery,
  useDeliverAgain,
  type Webhook,
} from "../../data/queries/webhooks.queries.ts";
import { formatDuration, formatExact, formatWhen } from "../../messages/format.ts";
import { type MessageId, t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Badge, type BadgeTone } from "../../ui/display/badge.tsx";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { Time, useNow } from "../../ui/display/time.tsx";
import { List, ListRow, ListSkeleton } from "../../ui/lists/list.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../ui/overlays/use-error-toast.ts";
import styles from "./webhooks.module.css";

export type DeliveriesDialogProps = { webhook: Webhook; isOpen: boolean; onClose: () => void };

/** A webhook's deliveries with their responses. */
export function DeliveriesDialog({ webhook, isOpen, onClose }: DeliveriesDialogProps) {
  return (
    <Dialog
      open={isOpen}
      onOpenChange={(open) => !open && onClose()}
      size="wide"
      title={t("webhooks.deliveries", { host: new URL(webhook.url).host })}
    >
      <Deliveries webhook={webhook} />
    </Dialog>
  );
}

function Deliveries({ webhook }: { webhook: Webhook }) {
  const query = useInfiniteQuery(deliveriesQuery(webhook.id));
  const deliveries = query.data?.pages.flatMap((page) => page.deliveries) ?? [];
  if (query.isPending) return <ListSkeleton label={t("ui.loading")} />;
  if (query.error)
    return <ErrorState compact error={query.error} onRetry={() => void query.refetch()} />;
  if (deliveries.length === 0) return <p>{t("webhooks.deliveries.none")}</p>;
  return (
    <div className={styles.deliveries}>
      <List label={t("webhooks.log")}>
        {deliveries.map((delivery) => (
          <DeliveryRow key={delivery.id} webhook={webhook} delivery={delivery} />
        ))}
      </List>
      {query.hasNextPage && (
        <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {t("webhooks.deliveries.more")}
        </Button>
      )}
    </div>
  );
}

const marks = {
  waiting: { tone: "busy", icon: Clock },
  delivered: { tone: "ok", icon: CircleCheck },
  "given-up": { tone: "bad", icon: CircleAlert },
} as const satisfies Record<Delivery["status"], { tone: BadgeTone; icon: typeof Clock }>;

function DeliveryRow({ webhook, delivery }: { webhook: Webhook; delivery: Delivery }) {
  const { id, event, status, createdAt, payload, answer } = delivery;
  const [isOpen, setIsOpen] = useState(false);
  const again = useDeliverAgain(webhook.id);
  const toast = useToast();
  const onError = useErrorToast();
  const detailId = useId();
  const { tone, icon } = marks[status];
  const name = t(`webhooks.event.${event}` as MessageId);
  const send = () =>
    again.mutate(id, {
      onSuccess: () => toast({ text: t("webhooks.delivery.sent") }),
      onError,
    });
  return (
    <>
      <ListRow
        title={name}
        isOpen={isOpen}
        onOpen={() => setIsOpen(!isOpen)}
        badge={
          <Badge tone={tone} icon={icon}>
            {t(`webhooks.delivery.${status}`)}
          </Badge>
        }
        detail={
          <>
            <Time at={createdAt} /> <Tried delivery={delivery} />
          </>
        }
        end={
          status !== "waiting" && (
            <Button
              size="small"
              aria-label={t("webhooks.delivery.againOf", {
                event: name,
                when: formatExact(createdAt),
              })}
              busy={again.isPending}
              disabled={webhook.pausedAt !== null}
              onClick={send}
            >
              {t("webhooks.delivery.again")}
            </Button>
          )
        }
      />
      {isOpen && (
        <li className={styles.texts} aria-label={t("webhooks.delivery.more")} id={detailId}>
          <p>{t("webhooks.delivery.id", { id })}</p>
          <h3>{t("webhooks.delivery.body")}</h3>
          <pre>{pretty(payload)}</pre>
          <h3>{t("webhooks.delivery.answer")}</h3>
          {answer ? <pre>{answer}</pre> : <p>{t("webhooks.delivery.answer.none")}</p>}
        </li>
      )}
    </>
  );
}

/** A delivery's attempts, on one line. */
function Tried({
  delivery: { attempts, httpStatus, tookMs, error, nextAt, triedAt },
}: {
  delivery: Delivery;
}) {
  const now = useNow();
  const words = [
    attempts > 1 && t("webhooks.delivery.tries", { count: attempts }),
    httpStatus !== null && t("webhooks.delivery.status", { status: String(httpStatus) }),
    triedAt !== null &&
      tookMs !== null &&
      t("webhooks.delivery.took", { time: formatDuration(tookMs) }),
    httpStatus === null && error,
    nextAt !== null &&
      attempts > 0 &&
      t("webhooks.delivery.next", { when: formatWhen(nextAt, now) }),
  ].filter(Boolean);
  return words.length > 0 && <>· {words.join(" · ")}</>;
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
