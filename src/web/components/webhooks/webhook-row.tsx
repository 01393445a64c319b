import {
  CircleAlert,
  Ellipsis,
  History,
  Pause,
  Pencil,
  RotateCw,
  Trash2,
  Webhook as WebhookIcon,
} from "lucide-react";
import { useState } from "react";
import {
  useChangeWebhook,
  useRemoveWebhook,
  useRotateSecret,
  useTestWebhook,
  type Webhook,
} from "../../data/queries/webhooks.queries.ts";
import { ActionMenu } from "../../frame/action-menu.tsx";
import { formatExact, formatWhen } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { Badge } from "../../ui/display/badge.tsx";
import { useNow } from "../../ui/display/time.tsx";
import { ListRow } from "../../ui/lists/list.tsx";
import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../ui/overlays/use-error-toast.ts";
import { ChangeWebhookDialog } from "./change-webhook-dialog.tsx";
import { DeliveriesDialog } from "./deliveries-dialog.tsx";
import styles from "./webhooks.module.css";

export type WebhookRowProps = { webhook: Webhook; onSecret: (secret: string) => void };
/** The dialog open over the row; `time` makes each opening of the form a fresh one. */
type Open = { what: "rotate" | "remove" | "change" | "log" | null; time: number };

/** One webhook: its status and its actions. */
export function WebhookRow({ webhook, onSecret }: WebhookRowProps) {
  const { id, url, pausedAt, isAnsweredFor } = webhook;
  const { host } = new URL(url);
  const toast = useToast();
  const change = useChangeWebhook();
  const rotate = useRotateSecret();
  const remove = useRemoveWebhook();
  const test = useTestWebhook();
  const [{ what, time }, setOpen] = useState<Open>({ what: null, time: 0 });
  const open = (next: Open["what"]) => setOpen((before) => ({ what: next, time: before.time + 1 }));
  const close = () => setOpen((before) => ({ ...before, what: null }));
  const onError = useErrorToast();
  const says = (text: string) => ({ onError, onSuccess: () => toast({ text }) });
  const isStill = pausedAt !== null || !isAnsweredFor;
  const menu = t("webhooks.menu", { host });
  return (
    <>
      <ListRow
        start={<WebhookIcon aria-hidden />}
        title={host}
        badge={<State webhook={webhook} />}
        detail={<Detail webhook={webhook} />}
        end={
          <>
            {isStill ? (
              <Button
                size="small"
                aria-label={t("webhooks.resumeOf", { host })}
                busy={change.isPending}
                onClick={() =>
                  change.mutate(
                    { webhookId: id, change: { resume: true } },
                    says(t("webhooks.resumed", { host })),
                  )
                }
              >
                {t("webhooks.resume")}
              </Button>
            ) : (
              <Button
                size="small"
                busy={test.isPending}
                onClick={() => test.mutate(id, says(t("webhooks.tested", { host })))}
              >
                {t("webhooks.test")}
              </Button>
            )}
            <ActionMenu
              label={menu}
              trigger={<IconButton icon={Ellipsis} label={menu} />}
              entries={[
                { label: t("webhooks.log"), icon: History, onSelect: () => open("log") },
                { label: t("webhooks.change"), icon: Pencil, onSelect: () => open("change") },
                { label: t("webhooks.rotate"), icon: RotateCw, onSelect: () => open("rotate") },
                { separator: true },
                {
                  label: t("webhooks.remove"),
                  icon: Trash2,
                  danger: true,
                  onSelect: () => open("remove"),
                },
              ]}
            />
          </>
        }
      />
      <DeliveriesDialog webhook={webhook} isOpen={what === "log"} onClose={close} />
      <ChangeWebhookDialog
        key={time}
        webhook={webhook}
        isOpen={what === "change"}
        onClose={close}
      />
      <ConfirmDialog
        open={what === "rotate"}
        onOpenChange={(isOpen) => !isOpen && close()}
        title={t("webhooks.rotate.title", { host })}
        confirmLabel={t("webhooks.rotate.confirm")}
        busy={rotate.isPending}
        onConfirm={() =>
          rotate.mutate(id, {
            onError,
            onSuccess: ({ secret }) => onSecret(secret),
            onSettled: close,
          })
        }
      >
        {t("webhooks.rotate.text")}
      </ConfirmDialog>
      <ConfirmDialog
        open={what === "remove"}
        onOpenChange={(isOpen) => !isOpen && close()}
        title={t("webhooks.remove.title", { host })}
        confirmLabel={t("webhooks.remove")}
        danger
        busy={remove.isPending}
        onConfirm={() =>
          remove.mutate(id, { ...says(t("webhooks.removed", { host })), onSettled: close })
        }
      >
        {t("webhooks.remove.text")}
      </ConfirmDialog>
    </>
  );
}

function State({ webhook: { pausedAt, isAnsweredFor, failingSince } }: { webhook: Webhook }) {
  const now = useNow();
  if (pausedAt !== null)
    return (
      <Badge tone="bad" icon={Pause}>
        {t("webhooks.paused")}
      </Badge>
    );
  if (!isAnsweredFor)
    return (
      <Badge tone="bad" icon={Pause}>
        {t("webhooks.unanswered")}
      </Badge>
    );
  return (
    failingSince !== null && (
      <Badge tone="warn" icon={CircleAlert}>
        {t("webhooks.failing", { when: formatWhen(failingSince, now) })}
      </Badge>
    )
  );
}

function Detail({ webhook }: { webhook: Webhook }) {
  const {
    url,
    projectId,
    events,
    pausedAt,
    pausedWhy,
    isAnsweredFor,
    maker,
    oldSecretUntil,
    waiting,
    last,
  } = webhook;
  const told = t("webhooks.told", {
    events: events.map((event) => t(`webhooks.told.${event}`)).join(", "),
  });
  const standing = last
    ? t(`webhooks.last.${last.status}`, { error: last.error ?? "" }).trim()
    : t("webhooks.never");
  return (
    <span className={styles.lines}>
      <span className={styles.url}>{url}</span>
      {projectId !== null && <span>{told}</span>}
      {pausedAt !== null && <span>{t("webhooks.paused.why", { why: pausedWhy ?? "" })}</span>}
      {pausedAt === null && !isAnsweredFor && (
        <span>{t("webhooks.unanswered.why", { name: maker.name })}</span>
      )}
      <span>
        {[standing, waiting > 0 && t("webhooks.waiting", { count: waiting })]
          .filter(Boolean)
          .join(" · ")}
      </span>
      {oldSecretUntil !== null && (
        <span>{t("webhooks.oldSecret", { when: formatExact(oldSecretUntil) })}</span>
      )}
    </span>
  );
}
