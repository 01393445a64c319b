import { type FormEvent, useState } from "react";
import { type AssetRange, parseRange, writeRange } from "#contract/filters/asset-filters.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { TextField } from "../../../ui/controls/text-field.tsx";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import styles from "../library.module.css";
import { rangeFields } from "./filter-fields.ts";

type RangeDialogProps = {
  field: AssetRange;
  /** In the address's form. */
  range: string | undefined;
  onRange: (range: string | null) => void;
  onClose: () => void;
};

/** A range's two ends; an empty one is open. */
export function RangeDialog({ field, range, onRange, onClose }: RangeDialogProps) {
  const { parse, write, inputType } = rangeFields[field];
  const given = parseRange(range) ?? {};
  const [texts, setTexts] = useState({
    from: given.from === undefined ? "" : write(given.from),
    to: given.to === undefined ? "" : write(given.to),
  });
  const [wasSent, setWasSent] = useState(false);
  const read = (end: "from" | "to") =>
    texts[end].trim() === "" ? undefined : (parse(texts[end], end === "to") ?? null);
  const [from, to] = [read("from"), read("to")];
  const isTurned = typeof from === "number" && typeof to === "number" && from > to;
  const problemOf = (value: number | null | undefined) =>
    wasSent && value === null ? t("library.range.bad") : undefined;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setWasSent(true);
    if (from === null || to === null || isTurned) return;
    onRange(
      from === undefined && to === undefined
        ? null
        : writeRange({ ...(from !== undefined && { from }), ...(to !== undefined && { to }) }),
    );
    onClose();
  };
  const input = (end: "from" | "to", error: string | undefined) => (
    <TextField
      label={t(`library.range.${end}.label`)}
      value={texts[end]}
      onValueChange={(text) => setTexts({ ...texts, [end]: text })}
      error={error}
      type={inputType ?? "text"}
      inputMode={inputType ? undefined : "decimal"}
      maxLength={20}
    />
  );
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t(`library.range.${field}`)}
      footer={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button variant="primary" type="submit" form="library-range">
            {t("library.range.apply")}
          </Button>
        </>
      }
    >
      <form id="library-range" className={styles.range} onSubmit={onSubmit} noValidate>
        {input("from", problemOf(from))}
        {input(
          "to",
          problemOf(to) ?? (wasSent && isTurned ? t("library.range.turned") : undefined),
        )}
      </form>
    </Dialog>
  );
}
