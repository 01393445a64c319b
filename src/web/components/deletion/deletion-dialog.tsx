import { Link } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useId, useState } from "react";
import { limits } from "#contract/limits.ts";
import { fieldError } from "../../data/field-problem.ts";
import { formatMoney } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Checkbox } from "../../ui/controls/checkbox.tsx";
import { TextField } from "../../ui/controls/text-field.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { FormError } from "../account/form-error.tsx";
import styles from "./deletion.module.css";

type Open = { runs: number; unconfirmed: number; heldMicros: number };
type Answered = { typed: string; settles: boolean };

type DeletionDialogProps = {
  title: string;
  /** When the deletion takes effect, and whether it can be undone. */
  when: string;
  /** What is deleted, kept and handed over, one line each. */
  goes: readonly string[];
  stays: readonly string[];
  moves?: readonly string[];
  open: Open;
  /** The request field that confirms, its label, and the expected text; null for a password. */
  confirm: { field: string; label: string; expected: string | null };
  submit: string;
  isPending: boolean;
  error: unknown;
  onSubmit: (answered: Answered) => void;
  onClose: () => void;
  children?: ReactNode;
};

/** Lists everything that a deletion does before asking for confirmation. */
export function DeletionDialog({
  title,
  when,
  goes,
  stays,
  moves = [],
  open,
  confirm,
  submit,
  isPending,
  error,
  onSubmit,
  onClose,
  children,
}: DeletionDialogProps) {
  const formId = useId();
  const [typed, setTyped] = useState("");
  const [settles, setSettles] = useState(false);
  const isOpen = open.runs + open.unconfirmed > 0;
  const isTyped =
    confirm.expected === null ? typed !== "" : typed.trim() === confirm.expected.trim();
  const mayDelete = isTyped && (!isOpen || settles);
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (mayDelete) onSubmit({ typed, settles: isOpen && settles });
  };
  const field = {
    label: confirm.label,
    hint: confirm.expected ?? undefined,
    error: fieldError(error, confirm.field),
    value: typed,
    onValueChange: setTyped,
  };
  return (
    <Dialog
      open
      onOpenChange={(isShown) => !isShown && onClose()}
      title={title}
      description={when}
      footer={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button
            type="submit"
            form={formId}
            variant="danger"
            busy={isPending}
            disabled={!mayDelete}
          >
            {submit}
          </Button>
        </>
      }
    >
      <form id={formId} className={styles.form} onSubmit={send} noValidate>
        <Lines title={t("deletion.goes")} lines={goes} />
        <Lines title={t("deletion.moves")} lines={moves} />
        <Lines title={t("deletion.stays")} lines={stays} />
        {isOpen && (
          <div className={styles.open}>
            <Lines title={t("deletion.open")} lines={openLines(open)} />
            <Link to="/activity" search={{ show: "open" }} className={styles.link}>
              {t("deletion.open.see")}
            </Link>
            <Checkbox
              label={t("deletion.settles")}
              hint={t("deletion.settles.hint")}
              checked={settles}
              onCheckedChange={setSettles}
            />
          </div>
        )}
        {children}
        {confirm.expected === null ? (
          <TextField
            {...field}
            type="password"
            autoComplete="current-password"
            maxLength={limits.passwordCharactersMost}
          />
        ) : (
          <TextField {...field} autoComplete="off" spellCheck={false} />
        )}
        <FormError error={error} fields={[confirm.field]} />
      </form>
    </Dialog>
  );
}

function Lines({ title, lines }: { title: string; lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <section>
      <h3 className={styles.heading}>{title}</h3>
      <ul className={styles.lines}>
        {lines.map((line, index) => (
          // Two projects may have one name.
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one answer never move
          <li key={index}>{line}</li>
        ))}
      </ul>
    </section>
  );
}

const openLines = ({ runs, unconfirmed, heldMicros }: Open): string[] => [
  ...(runs > 0 ? [t("deletion.open.runs", { count: runs })] : []),
  ...(unconfirmed > 0 ? [t("deletion.open.unconfirmed", { count: unconfirmed })] : []),
  ...(heldMicros > 0 ? [t("deletion.open.held", { money: formatMoney(heldMicros) })] : []),
];
