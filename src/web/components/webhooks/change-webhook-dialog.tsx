import { type FormEvent, useId, useState } from "react";
import { fieldProblem } from "../../data/field-problem.ts";
import { t } from "../../messages/t.ts";
import { Stack } from "../../shell/page.tsx";
import { useSession } from "../../shell/shell-data.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useToast } from "../../ui/toast.tsx";
import { FormError } from "../account/form-error.tsx";
import { WebhookFields } from "./webhook-fields.tsx";
import { useChangeWebhook, type Webhook } from "./webhooks.queries.ts";

export type ChangeWebhookProps = { webhook: Webhook; isOpen: boolean; onClose: () => void };

/** Where to and of what, of an address that is there. */
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
