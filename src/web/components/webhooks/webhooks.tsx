import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { webhooksQuery } from "../../data/queries/webhooks.queries.ts";
import { PageSection, Stack } from "../../frame/page.tsx";
import { t } from "../../messages/t.ts";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { List, ListSkeleton } from "../../ui/lists/list.tsx";
import { ShownOnceDialog } from "../shown-once/shown-once-dialog.tsx";
import { AddWebhook } from "./add-webhook.tsx";
import { WebhookRow } from "./webhook-row.tsx";

/**
 * A project's webhooks, which receive run events, or the instance's (null), which receive budget
 * events.
 */
export function Webhooks({ projectId }: { projectId: string | null }) {
  const { data: webhooks = [], error, isPending, refetch } = useQuery(webhooksQuery(projectId));
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <PageSection
      title={t("webhooks.title")}
      aside={webhooks.length > 0 && webhooks.length}
      intro={t(projectId === null ? "webhooks.intro.instance" : "webhooks.intro.project")}
    >
      <Stack>
        {isPending && <ListSkeleton label={t("ui.loading")} rows={1} />}
        {error && <ErrorState compact error={error} onRetry={() => void refetch()} />}
        {webhooks.length > 0 && (
          <List label={t("webhooks.title")}>
            {webhooks.map((webhook) => (
              <WebhookRow key={webhook.id} webhook={webhook} onSecret={setSecret} />
            ))}
          </List>
        )}
        <AddWebhook projectId={projectId} onSecret={setSecret} />
      </Stack>
      <ShownOnceDialog
        value={secret}
        title={t("webhooks.secret")}
        description={t("webhooks.secret.once")}
        label={t("webhooks.secret.label")}
        copy={t("webhooks.secret.copy")}
        copied={t("webhooks.secret.copied")}
        onClose={() => setSecret(null)}
      />
    </PageSection>
  );
}
