import { type FormEvent, useId, useState } from "react";
import { fieldProblem } from "../../data/field-problem.ts";
import { useChangeWebhook, type Webhook } from "../../data/queries/webhooks.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { Stack } from "../../frame/page.tsx";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import { FormError } from "../account/form-error.tsx";
import { WebhookFields } from "./webhook-fields.tsx";

export type ChangeWebhookProps = { webhook: Webhook; isOpen: boolean; onClose: () => void };

/** Edits an existing webhook's address and events. */
export function ChangeWebhookDialog({ webhook, isOpen, onClose }: ChangeWebhookProps) {
  const { user } = useSession();
  const toast = useToast();
  const change = useChangeWebhook();
  const formId = useId();
  const [url, setUrl] = useState(webhook.url);
  const [events, setEvents] = useState(webhook.events as readonly Webhook["events"][number][]);
  const isProject = webhook.projectId !== null;
  const refused = fieldProblem(change.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!url.trim() || events.length === 0) return;
    const wanted = {
      ...(url !== webhook.url && { url }),
      ...(isProject && { events: [...events] }),
    };
    change.mutate(
      { webhookId: webhook.id, change: wanted },
      {
        onSuccess: () => {
          toast({ text: t("webhooks.changed") });
          onClose();
        },
      },
    );
  };
  const footer = (
    <>
      <Button onClick={onClose}>{t("ui.cancel")}</Button>
      <Button
        type="submit"
        form={formId}
        variant="primary"
        busy={change.isPending}
        disabled={!url.trim()}
      >
        {t("ui.save")}
      </Button>
    </>
  );
  return (
    <Dialog
      open={isOpen}
      onOpenChange={(open) => !open && onClose()}
      title={t("webhooks.change.title", { host: new URL(webhook.url).host })}
      footer={footer}
    >
      <form id={formId} onSubmit={submit} noValidate>
        <Stack>
          <WebhookFields
            url={url}
            onUrlChange={setUrl}
            urlError={refused?.field === "url" ? refused.text : null}
            events={isProject ? events : null}
            onEventsChange={setEvents}
          />
          {isProject && webhook.maker.id !== user.id && (
            <p>{t("webhooks.change.maker", { name: webhook.maker.name })}</p>
          )}
          <FormError error={change.error} fields={["url"]} />
        </Stack>
      </form>
    </Dialog>
  );
}
