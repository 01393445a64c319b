import { ChevronRight } from "lucide-react";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { isKeyRefusal } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import { fieldsAskedFor } from "#domain/schemas/connection-fields.ts";
import { fieldProblem } from "../../data/field-problem.ts";
import type {
  ConnectionKind,
  ConnectionValues,
  ListedConnection,
} from "../../data/queries/connections.queries.ts";
import { useTabDraft } from "../../data/saved/tab-draft.ts";
import { t } from "../../messages/t.ts";
import { TextField } from "../../ui/controls/text-field.tsx";
import { describeError } from "../../ui/describe-error.ts";
import { ErrorDetails } from "../../ui/display/error-state.tsx";
import { ConnectionFieldControl } from "./connection-field.tsx";
import styles from "./connections.module.css";
import {
  changedValues,
  changesAddress,
  firstMissing,
  type TypedValues,
  typedValues,
} from "./field-values.ts";
import { ProviderProblem } from "./provider-problem.tsx";
import { RedirectAddress } from "./redirect-address.tsx";

export type ConnectionFormProps = {
  /** The form's id. Its submit button is in the dialog's footer. */
  id: string;
  kind: ConnectionKind;
  /** If given, the form changes this connection; otherwise it adds one. */
  connection?: ListedConnection;
  /** Shows only the key field, to replace the key. */
  isKeyOnly?: boolean;
  /** The address of a detected server that needs a key; the field is prefilled. */
  lockedAt?: string | undefined;
  /** The server's or provider's answer to the last attempt. */
  error: unknown;
  /** Rejects if the server refuses; the typed values then stay. */
  onSubmit: (name: string, values: ConnectionValues) => Promise<unknown>;
};

/**
 * A connection's name and fields, with rarely needed ones folded. Keys are never saved in a draft.
 */
export function ConnectionForm({
  id,
  kind,
  connection,
  isKeyOnly = false,
  lockedAt,
  error,
  onSubmit,
}: ConnectionFormProps) {
  const before = typedValues(kind.fields, connection);
  const plain = Object.fromEntries(
    kind.fields
      .filter(({ kind: type }) => type !== "secret")
      .map(({ name, address }) => [name, before[name] || (address && lockedAt) || ""]),
  );
  const [draft, setDraft, clearDraft] = useTabDraft(connection ? null : `connection:${kind.kind}`, {
    name: connection?.name ?? kind.name,
    ...plain,
  });
  const [secrets, setSecrets] = useState<Record<string, string>>({});
  const [missing, setMissing] = useState<string | null>(null);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (!error && !missing) return;
    // The invalid field may be folded or scrolled away, so the focus moves to the error.
    const place = form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [data-problem]');
    place?.focus();
    place?.scrollIntoView({ block: "nearest" });
  }, [error, missing]);

  const { name, ...rest } = draft;
  const typed: TypedValues = { ...before, ...(isKeyOnly ? {} : rest), ...secrets };
  const asked = fieldsAskedFor(kind.fields, (field) => typed[field]);
  const values = changedValues(asked, typed, connection ? before : {});
  const losesKey =
    connection?.hasSecret &&
    changesAddress(kind.fields, values) &&
    !Object.values(secrets).some(Boolean);
  const shown = isKeyOnly ? asked.filter((field) => field.kind === "secret") : asked;
  const asksForSignIn =
    kind.signInWhen !== null && typed[kind.signInWhen.field] === kind.signInWhen.is;
  const refused = fieldProblem(error);
  const { code } = describeError(error);
  const refusedKey = isKeyRefusal(code)
    ? shown.find((field) => field.kind === "secret")?.name
    : undefined;
  const errorOf = (field: string): string | null => {
    if (field === missing) return t("connections.field.needed");
    if (field === refusedKey)
      return t(`connections.key.${code === "provider_forbidden" ? "forbidden" : "refused"}`, {
        name: name || kind.name,
      });
    return refused?.field === field || refused?.field === `values.${field}` ? refused.text : null;
  };
  const advanced = isKeyOnly ? [] : shown.filter((field) => field.advanced);
  const isReported = (field: (typeof advanced)[number]) =>
    typed[field.name] !== "" && typed[field.name] !== field.placeholder;
  const main = isKeyOnly ? shown : shown.filter((field) => !field.advanced);
  const control = (field: ConnectionKind["fields"][number], isFirst = false) => (
    <div key={field.name}>
      <ConnectionFieldControl
        field={field}
        value={typed[field.name] ?? ""}
        error={errorOf(field.name)}
        hasStored={connection?.hasSecret ?? false}
        autoFocus={isFirst}
        onValueChange={(value) => {
          setMissing(null);
          if (field.kind === "secret") setSecrets({ ...secrets, [field.name]: value });
          else setDraft({ [field.name]: value });
        }}
      />
      {field.name === refusedKey && <ErrorDetails error={error} />}
    </div>
  );

  const isRefusedWhole =
    Boolean(error) && !shown.some((field) => errorOf(field.name)) && !errorOf("name");

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const empty = connection ? undefined : !name.trim() ? "name" : firstMissing(asked, typed)?.name;
    const noKey = isKeyOnly && Object.keys(values).length === 0 ? shown[0]?.name : undefined;
    setMissing(empty ?? noKey ?? null);
    if (!empty && !noKey) onSubmit(name.trim(), values).then(clearDraft, () => undefined);
  };

  return (
    <form ref={form} id={id} className={styles.form} onSubmit={submit} noValidate>
      {main.map((field, index) => control(field, index === 0))}
      {!isKeyOnly && asksForSignIn && kind.signInRedirect && (
        <RedirectAddress url={kind.signInRedirect} />
      )}
      {!isKeyOnly && (
        <TextField
          label={t("connections.name")}
          hint={t("connections.name.hint")}
          error={errorOf("name")}
          value={name}
          onValueChange={(value) => setDraft({ name: value })}
          maxLength={limits.nameCharacters}
          autoComplete="off"
        />
      )}
      {advanced.length > 0 && (
        <details
          className={styles.more}
          open={
            lockedAt !== undefined ||
            advanced.some((field) => errorOf(field.name) || isReported(field)) ||
            undefined
          }
        >
          <summary>
            <ChevronRight aria-hidden />
            {t("connections.advanced")}
          </summary>
          <div className={styles.form}>{advanced.map((field) => control(field))}</div>
        </details>
      )}
      {losesKey && <p className={styles.warning}>{t("connections.key.moves")}</p>}
      {isRefusedWhole && (
        <div data-problem tabIndex={-1}>
          <ProviderProblem error={error} />
        </div>
      )}
    </form>
  );
}
