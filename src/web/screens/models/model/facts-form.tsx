import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { ModelDetail, OwnFacts } from "#contract/entities.ts";
import { statableCapabilities } from "#contract/filters/model-filters.ts";
import { modalities, tasks } from "#contract/tasks.ts";
import { FormError } from "../../../components/account/form-error.tsx";
import { call } from "../../../data/client.ts";
import { refreshAfter } from "../../../data/keys.ts";
import { kindsQuery } from "../../../data/queries/shared.queries.ts";
import { PageSection } from "../../../frame/page.tsx";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { Checkbox } from "../../../ui/controls/checkbox.tsx";
import { SelectField } from "../../../ui/controls/select.tsx";
import { TextField } from "../../../ui/controls/text-field.tsx";
import { Time } from "../../../ui/display/time.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import styles from "./model-page.module.css";
import { changedFacts, type FactsDraft, toDraft, tokensProblem } from "./own-facts.ts";

/** The source of the model's details; managers of the connection can edit them. */
export function ModelFactsSource({ model, mayManage }: { model: ModelDetail; mayManage: boolean }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <PageSection title={t("models.source")}>
      <div className={styles.text}>
        <p>
          {model.factsSource
            ? t("models.source.snapshot", { name: model.factsSource.name })
            : t("models.source.reported", { name: model.connectionName })}
          {" · "}
          <Time at={model.factsSource?.at ?? model.fetchedAt} />
        </p>
        {model.ownFacts && (
          <p>
            {model.ownFacts.by === null
              ? t("models.source.someone")
              : t("models.source.person", { name: model.ownFacts.by })}
            {" · "}
            <Time at={model.ownFacts.at} />
          </p>
        )}
      </div>
      {mayManage && !isOpen && (
        <Button size="small" onClick={() => setOpen(true)}>
          {t("models.source.change")}
        </Button>
      )}
      {mayManage && isOpen && (
        <FactsForm key={model.ownFacts?.at ?? 0} model={model} onClose={() => setOpen(false)} />
      )}
    </PageSection>
  );
}

function FactsForm({ model, onClose }: { model: ModelDetail; onClose: () => void }) {
  const [draft, setDraft] = useState<FactsDraft>(() => toDraft(model));
  const [wasSent, setWasSent] = useState(false);
  const toast = useToast();
  const queryClient = useQueryClient();
  const { connectionId, modelId } = model;
  const kind = useQuery(kindsQuery).data?.find((known) => known.kind === model.connectionKind);
  const set = useMutation({
    mutationFn: (facts: OwnFacts | null) =>
      call("setModelFacts", { params: { connectionId }, body: { modelId, facts } }),
    onSuccess: async (_, facts) => {
      await refreshAfter(queryClient, "model");
      toast({ text: t(facts === null ? "models.source.removed" : "models.source.done") });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setWasSent(true);
    const facts = changedFacts(model, draft);
    if (facts !== undefined) set.mutate(facts);
  };
  const tokens = (name: "contextTokens" | "outputTokens") => (
    <TextField
      label={t(`models.limits.${name}`)}
      hint={t("models.source.tokens")}
      error={wasSent ? tokensProblem(draft[name]) : null}
      value={draft[name]}
      onValueChange={(value: string) => setDraft({ ...draft, [name]: value })}
      inputMode="numeric"
      autoComplete="off"
      maxLength={13}
    />
  );
  const kinds = (name: "inputModalities" | "outputModalities") => (
    <fieldset className={styles.checks}>
      <legend>{t(name === "inputModalities" ? "models.facts.takes" : "models.facts.gives")}</legend>
      {modalities.map((kind) => (
        <Checkbox
          key={kind}
          label={t(`models.modality.${kind}`)}
          checked={draft[name].includes(kind)}
          onCheckedChange={(is) =>
            setDraft({
              ...draft,
              [name]: modalities.filter((known) =>
                known === kind ? is : draft[name].includes(known),
              ),
            })
          }
        />
      ))}
    </fieldset>
  );
  return (
    <form
      className={styles.form}
      onSubmit={submit}
      noValidate
      aria-label={t("models.source.change")}
    >
      {kind?.takesTasks && draft.task && kind.tasks.includes(draft.task) && (
        <SelectField
          label={t("models.tasks")}
          hint={t("models.source.task")}
          value={draft.task}
          onValueChange={(task) => setDraft({ ...draft, task })}
          options={kind.tasks.map((name) => ({ value: name, label: tasks[name].name }))}
        />
      )}
      <div className={styles.fields}>
        {tokens("contextTokens")}
        {tokens("outputTokens")}
      </div>
      {kinds("inputModalities")}
      {kinds("outputModalities")}
      <fieldset className={styles.checks}>
        <legend>{t("models.can")}</legend>
        {statableCapabilities.map((name) => (
          <Checkbox
            key={name}
            label={t(`models.can.${name}`)}
            checked={draft.capabilities[name] ?? false}
            onCheckedChange={(is) =>
              setDraft({ ...draft, capabilities: { ...draft.capabilities, [name]: is } })
            }
          />
        ))}
      </fieldset>
      <div className={styles.formButtons}>
        <Button type="submit" busy={set.isPending}>
          {t("models.source.save")}
        </Button>
        {model.ownFacts && (
          <Button variant="ghost" disabled={set.isPending} onClick={() => set.mutate(null)}>
            {t("models.source.reset")}
          </Button>
        )}
        <Button variant="ghost" onClick={onClose}>
          {t("ui.cancel")}
        </Button>
      </div>
      <FormError error={set.error} fields={[]} safe={t("budgets.kept")} />
    </form>
  );
}
