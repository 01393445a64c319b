import type { UseQueryResult } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { limits } from "#contract/limits.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import styles from "../../components/account/account.module.css";
import { FormError } from "../../components/account/form-error.tsx";
import { checkNewPassword, PasswordField } from "../../components/account/password-field.tsx";
import { fieldError } from "../../data/field-problem.ts";
import type { useSetUp } from "../../data/queries/setup.queries.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { TextField } from "../../ui/controls/text-field.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import { FoundChoices } from "./found-choices.tsx";

type Draft = { code: string; name: string; email: string; projectName: string };
type AccountFormProps = {
  draft: Draft;
  onDraft: (change: Partial<Draft>) => void;
  password: string;
  onPassword: (password: string) => void;
  take: readonly string[];
  onTake: (take: readonly string[]) => void;
  look: UseQueryResult<RouteOutput<"lookAround">>;
  setUp: ReturnType<typeof useSetUp>;
  onDone: () => void;
};

const fields = ["name", "email", "password", "projectName"] as const;
type Field = (typeof fields)[number];

/** The owner's account, the first project, and services to connect. */
export function AccountForm({
  draft,
  onDraft,
  password,
  onPassword,
  take,
  onTake,
  look,
  setUp,
  onDone,
}: AccountFormProps) {
  const [missing, setMissing] = useState<Partial<Record<Field, string | null>>>({});
  const showNotConnected = useNotConnected();
  const projectName =
    draft.projectName ||
    (draft.name.trim() ? t("setup.project.of", { name: draft.name.trim() }) : "");
  const errorOf = (field: Field) => missing[field] ?? fieldError(setUp.error, field);
  const change = (field: Field, apply: () => void) => {
    setMissing({ ...missing, [field]: null });
    apply();
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = {
      name: draft.name.trim() ? null : t("account.name.needed"),
      email: draft.email.trim() ? null : t("account.email.needed"),
      password: checkNewPassword(password),
      projectName: projectName.trim() || !draft.name.trim() ? null : t("setup.project.needed"),
    };
    setMissing(wrong);
    if (Object.values(wrong).some(Boolean)) return;
    const body = {
      code: draft.code,
      name: draft.name,
      email: draft.email,
      password,
      projectName,
      take: [...take],
    };
    setUp.mutate(body, {
      onSuccess: ({ notConnected }) => {
        onDone();
        showNotConnected(notConnected);
      },
    });
  };

  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <TextField
        label={t("account.name")}
        error={errorOf("name")}
        value={draft.name}
        onValueChange={(name) => change("name", () => onDraft({ name }))}
        autoComplete="name"
        maxLength={limits.nameCharacters}
        autoFocus
      />
      <TextField
        label={t("account.email")}
        error={errorOf("email")}
        value={draft.email}
        onValueChange={(email) => change("email", () => onDraft({ email }))}
        type="email"
        autoComplete="username"
        maxLength={254}
      />
      <PasswordField
        label={t("account.password")}
        hint={t("account.password.hint", { least: limits.passwordCharactersLeast })}
        error={errorOf("password")}
        value={password}
        onValueChange={(value) => change("password", () => onPassword(value))}
        autoComplete="new-password"
      />
      <TextField
        label={t("setup.project")}
        hint={t("setup.project.hint")}
        error={errorOf("projectName")}
        value={projectName}
        onValueChange={(value) => change("projectName", () => onDraft({ projectName: value }))}
        autoComplete="off"
        maxLength={limits.nameCharacters}
      />
      <FoundChoices look={look} take={take} onTake={onTake} />
      <FormError error={setUp.error} fields={fields} />
      <div className={styles.submit}>
        <Button
          type="submit"
          variant="primary"
          size="large"
          busy={setUp.isPending}
          className={styles.wide}
        >
          {take.length > 0 ? t("setup.submitWith", { count: take.length }) : t("setup.submit")}
        </Button>
      </div>
    </form>
  );
}

/** Reports selected services that couldn't be connected, with a link to Connections. */
function useNotConnected() {
  const toast = useToast();
  const navigate = useNavigate();
  const open = () => void navigate({ to: "/admin/$section", params: { section: "connections" } });
  return (failures: RouteOutput<"setUp">["notConnected"]) => {
    for (const { name, message } of failures)
      toast({
        kind: "error",
        text: t("setup.notConnected", { name }),
        detail: message,
        action: { label: t("setup.notConnected.open"), onAction: open },
        timeoutMs: 0,
      });
  };
}
