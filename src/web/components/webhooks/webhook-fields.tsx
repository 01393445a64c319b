import { type HookEvent, projectHookEvents } from "#contract/webhooks.ts";
import { t } from "../../messages/t.ts";
import { Checkbox } from "../../ui/controls/checkbox.tsx";
import { Field } from "../../ui/controls/field.tsx";
import { TextField } from "../../ui/controls/text-field.tsx";
import styles from "./webhooks.module.css";

export type WebhookFieldsProps = {
  url: string;
  onUrlChange: (url: string) => void;
  urlError: string | null;
  /** Null if the person can't choose events. */
  events: readonly HookEvent[] | null;
  onEventsChange: (events: readonly HookEvent[]) => void;
};

/** The fields for a webhook's address and events. */
export function WebhookFields({
  url,
  onUrlChange,
  urlError,
  events,
  onEventsChange,
}: WebhookFieldsProps) {
  return (
    <>
      <TextField
        label={t("webhooks.address")}
        hint={t("webhooks.address.hint")}
        error={urlError}
        value={url}
        onValueChange={onUrlChange}
        type="url"
        autoComplete="off"
        maxLength={2_000}
      />
      {events && (
        <Field
          label={t("webhooks.events")}
          error={events.length === 0 ? t("webhooks.events.needed") : null}
          isGroup
        >
          {() => (
            <div className={styles.events}>
              {projectHookEvents.map((event) => (
                <Checkbox
                  key={event}
                  label={t(`webhooks.event.${event}`)}
                  checked={events.includes(event)}
                  onCheckedChange={(checked) =>
                    onEventsChange(
                      projectHookEvents.filter((one) =>
                        one === event ? checked : events.includes(one),
                      ),
                    )
                  }
                />
              ))}
            </div>
          )}
        </Field>
      )}
    </>
  );
}
