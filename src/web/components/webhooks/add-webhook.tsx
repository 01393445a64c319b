import { Plus } from "lucide-react";
import { type FormEvent, useState } from "react";
import { type HookEvent, runHookEvents } from "#contract/webhooks.ts";
import { fieldProblem } from "../../data/field-problem.ts";
import { useAddWebhook } from "../../data/queries/webhooks.queries.ts";
import { Stack } from "../../frame/page.tsx";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { FormError } from "../account/form-error.tsx";
import { WebhookFields } from "./webhook-fields.tsx";

export type AddWebhookProps = { projectId: string | null; onSecret: (secret: string) => void };

/** The form for adding a webhook. Typed values stay if the server refuses. */
export function AddWebhook({ projectId, onSecret }: AddWebhookProps) {
  const add = useAddWebhook(projectId);
  const [url, setUrl] = useState("");
  const [events, setEvents] = useState<readonly HookEvent[]>(runHookEvents);
  const refused = fieldProblem(add.error);
  const isProject = projectId !== null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!url.trim() || (isProject && events.length === 0)) return;
    add.mutate(
      { url, events },
      {
        onSuccess: ({ secret }) => {
          setUrl("");
          setEvents(runHookEvents);
          onSecret(secret);
        },
      },
    );
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <WebhookFields
          url={url}
          onUrlChange={setUrl}
          urlError={refused?.field === "url" ? refused.text : null}
          // The events are asked for once there is an address.
          events={isProject && url.trim() ? events : null}
          onEventsChange={setEvents}
        />
        <div>
          <Button type="submit" icon={Plus} busy={add.isPending} disabled={!url.trim()}>
            {t("webhooks.add")}
          </Button>
        </div>
        <FormError error={add.error} fields={["url"]} />
      </Stack>
    </form>
  );
}
