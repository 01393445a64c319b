import { useQuery } from "@tanstack/react-query";
import { Plus, Webhook } from "lucide-react";
import { type FormEvent, useState } from "react";
import { FormError } from "../../components/account/form-error.tsx";
import { Row, Rows } from "../../components/rows/rows.tsx";
import { ShownOnceDialog } from "../../components/shown-once/shown-once-dialog.tsx";
import { fieldProblem } from "../../data/field-problem.ts";
import { t } from "../../messages/t.ts";
import { PageSection, Stack } from "../../shell/page.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useToast } from "../../ui/toast.tsx";
import { useAddWebhook, useRemoveWebhook, useTestWebhooks, webhooksQuery } from "./webhooks.queries.ts";

/** Addresses of other programs that are told when a budget is used up to 80 and to 100 per cent. */
export function BudgetWebhooks() {
  const { data: webhooks = [], error, refetch } = useQuery(webhooksQuery);
  const remove = useRemoveWebhook();
  const test = useTestWebhooks();
  const toast = useToast();
  const failed = (problem: Error) => toast({ kind: "error", text: problem.message });
  const sendTest = () => test.mutate(undefined, { onSuccess: () => toast({ text: t("admin.hooks.tested") }), onError: failed });
  const tools = webhooks.length > 0 && (
    <Button size="small" busy={test.isPending} onClick={sendTest}>
      {t("admin.hooks.test")}
    </Button>
  );
  return (
    <PageSection title={t("admin.hooks")} intro={t("admin.hooks.intro")} action={tools}>
      {error && <ErrorState compact error={error} onRetry={() => void refetch()} />}
      {webhooks.length > 0 && (
        <Rows label={t("admin.hooks")}>
          {webhooks.map(({ id, url, last }) => (
            <Row
              key={id}
              start={<Webhook aria-hidden />}
              title={new URL(url).host}
              detail={`${url} · ${last ? t(`admin.hooks.${last.status}`, { error: last.error ?? "" }) : t("admin.hooks.never")}`}
              end={
                <Button
                  size="small"
                  aria-label={t("admin.hooks.removeOf", { host: new URL(url).host })}
                  busy={remove.isPending && remove.variables === id}
                  onClick={() => remove.mutate(id, { onError: failed })}
                >
                  {t("admin.hooks.remove")}
                </Button>
              }
            />
          ))}
        </Rows>
      )}
      <AddWebhook />
    </PageSection>
  );
}

function AddWebhook() {
  const add = useAddWebhook();
  const [url, setUrl] = useState("");
  const [secret, setSecret] = useState<string | null>(null);
  const refused = fieldProblem(add.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!url.trim()) return;
    add.mutate(url, {
      onSuccess: (made) => {
        setUrl("");
        setSecret(made.secret);
      },
    });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextField
          label={t("admin.hooks.address")}
          hint={t("admin.hooks.address.hint")}
          error={refused?.field === "url" ? refused.text : null}
          value={url}
          onValueChange={setUrl}
          type="url"
          autoComplete="off"
          maxLength={2_000}
        />
        <div>
          <Button type="submit" icon={Plus} busy={add.isPending} disabled={!url.trim()}>
            {t("admin.hooks.add")}
          </Button>
        </div>
        <FormError error={add.error} fields={["url"]} />
        <ShownOnceDialog
          value={secret}
          title={t("admin.hooks.secret")}
          description={t("admin.hooks.secret.once")}
          label={t("admin.hooks.secret.label")}
          copy={t("admin.hooks.secret.copy")}
          copied={t("admin.hooks.secret.copied")}
          onClose={() => setSecret(null)}
        />
      </Stack>
    </form>
  );
}
