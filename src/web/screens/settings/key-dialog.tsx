import { type FormEvent, useId } from "react";
import { hasScope, keyScopes } from "#contract/key-scopes.ts";
import { limits } from "#contract/limits.ts";
import styles from "../../components/account/account.module.css";
import { FormError } from "../../components/account/form-error.tsx";
import { PeriodField } from "../../components/budgets/period-field.tsx";
import {
  type Ends,
  type KeyDraft,
  lifetimesDays,
  type ReadKey,
  useKeyDraft,
} from "../../components/keys/key-draft.ts";
import { endDay } from "../../components/keys/key-text.ts";
import { fieldError, fieldProblem } from "../../data/field-problem.ts";
import { deviceTimeZone } from "../../data/regions.ts";
import { useSession } from "../../data/shell-data.ts";
import { getRegion } from "../../messages/region.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Checkbox } from "../../ui/controls/checkbox.tsx";
import { Field } from "../../ui/controls/field.tsx";
import { SelectField } from "../../ui/controls/select.tsx";
import { TextField } from "../../ui/controls/text-field.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { KeyModels } from "./key-models.tsx";
import keyStyles from "./keys.module.css";

export type KeyDialogProps = {
  isOpen: boolean;
  onClose: () => void;
  initial: KeyDraft;
  /** The key to edit, whose project can't change. */
  changed: { name: string; expiresAt: number | null } | null;
  isBusy: boolean;
  error: unknown;
  onSubmit: (key: ReadKey) => void;
};

/** The form of a key. The input stays if the server refuses it. */
export function KeyDialog({
  isOpen,
  onClose,
  initial,
  changed,
  isBusy,
  error,
  onSubmit,
}: KeyDialogProps) {
  const { projects } = useSession();
  const formId = useId();
  const { draft, change, problems, read } = useKeyDraft(
    initial,
    getRegion().timeZone ?? deviceTimeZone(),
  );
  const refused = fieldProblem(error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const key = read(Date.now());
    if (key) onSubmit(key);
  };
  const ends: { value: Ends; label: string }[] = [
    ...(changed?.expiresAt
      ? [
          {
            value: "kept" as const,
            label: t("keys.form.ends.kept", { when: endDay(changed.expiresAt) }),
          },
        ]
      : []),
    { value: "never", label: t("keys.form.ends.never") },
    ...lifetimesDays.map((days) => ({
      value: `${days}` as const,
      label: t("keys.form.ends.days", { count: days }),
    })),
  ];
  const footer = (
    <>
      <Button onClick={onClose}>{t("ui.cancel")}</Button>
      <Button type="submit" form={formId} variant="primary" busy={isBusy}>
        {t(changed ? "ui.save" : "keys.form.submit")}
      </Button>
    </>
  );
  const title = changed ? t("keys.form.edit", { name: changed.name }) : t("keys.form.add");
  return (
    <Dialog open={isOpen} onOpenChange={(open) => !open && onClose()} title={title} footer={footer}>
      <form id={formId} className={styles.form} onSubmit={submit} noValidate>
        <TextField
          label={t("keys.form.name")}
          hint={t("keys.form.name.hint")}
          error={problems.name ?? fieldError(error, "name")}
          value={draft.name}
          onValueChange={(name) => change({ name })}
          autoComplete="off"
          maxLength={limits.nameCharacters}
        />
        {!changed && (
          <SelectField
            label={t("keys.form.project")}
            hint={t("keys.form.project.hint")}
            value={draft.projectId}
            onValueChange={(projectId) => change({ projectId, models: [] })}
            options={projects
              .filter(({ archivedAt }) => archivedAt === null)
              .map(({ id, name }) => ({ value: id, label: name }))}
          />
        )}
        <Field label={t("keys.form.scopes")} error={problems.scopes} isGroup>
          {() => (
            <div className={keyStyles.scopes}>
              {keyScopes.map((scope) => (
                <Checkbox
                  key={scope}
                  label={t(`keys.scope.${scope}`)}
                  hint={t(`keys.scope.${scope}.hint`)}
                  checked={hasScope(draft.scopes, scope)}
                  // The write scope includes reading.
                  disabled={hasScope(draft.scopes, scope) && !draft.scopes.includes(scope)}
                  onCheckedChange={(checked) =>
                    change({
                      scopes: keyScopes.filter((one) =>
                        one === scope ? checked : draft.scopes.includes(one),
                      ),
                    })
                  }
                />
              ))}
            </div>
          )}
        </Field>
        <KeyModels
          projectId={draft.projectId}
          models={draft.models}
          error={refused?.field.startsWith("models") ? refused.text : null}
          onChange={(models) => change({ models })}
        />
        <SelectField
          label={t("keys.form.ends")}
          error={fieldError(error, "expiresAt")}
          value={draft.ends}
          onValueChange={(value) => change({ ends: value })}
          options={ends}
        />
        <TextField
          label={t("keys.form.budget")}
          hint={t("keys.form.budget.hint")}
          error={problems.limit}
          value={draft.limit}
          onValueChange={(limit) => change({ limit })}
          inputMode="decimal"
          autoComplete="off"
          maxLength={30}
        />
        {draft.limit.trim() !== "" && (
          <PeriodField
            label={t("keys.form.period")}
            value={draft.period}
            onValueChange={(period) => change({ period })}
          />
        )}
        <Checkbox
          label={t("keys.form.keeps-running")}
          hint={t("keys.form.keeps-running.hint")}
          checked={draft.keepsRunning}
          onCheckedChange={(keepsRunning) => change({ keepsRunning })}
        />
        <FormError
          error={error}
          fields={["name", "expiresAt", ...draft.models.map((_, index) => `models.${index}`)]}
          safe={t("keys.form.kept")}
        />
      </form>
    </Dialog>
  );
}
