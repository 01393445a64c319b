import { type InvoiceColumn, invoiceColumns } from "#contract/filters/invoice-columns.ts";
import type { Columns, InvoiceAnswer } from "../../../data/queries/bill.queries.ts";
import { t } from "../../../messages/t.ts";
import { FileField } from "../../../ui/controls/file-field.tsx";
import { SelectField } from "../../../ui/controls/select.tsx";
import styles from "./bill.module.css";

export type InvoiceFieldsProps = {
  answer: InvoiceAnswer | undefined;
  onFile: (file: File | null) => void;
  onColumns: (columns: Columns) => void;
};

/** The invoice file, and after it is read, its columns: guessed until the person changes them. */
export function InvoiceFields({ answer, onFile, onColumns }: InvoiceFieldsProps) {
  return (
    <>
      <FileField
        label={t("bills.file")}
        hint={t("bills.file.hint")}
        accept=".csv,.tsv,.txt,text/csv"
        onFile={onFile}
      />
      {answer && (
        <div className={styles.columns}>
          {invoiceColumns.map((column) => (
            <SelectField
              key={column}
              label={t(`bills.column.${column}`)}
              error={answer.missing.includes(column) ? t("bills.column.missing") : null}
              value={String(answer.columns[column] ?? "none")}
              onValueChange={(value) => onColumns(withColumn(answer.columns, column, value))}
              options={[
                { value: "none", label: t("bills.column.none") },
                ...answer.header.map((name, index) => ({
                  value: String(index),
                  label: name || t("bills.column.unnamed", { place: index + 1 }),
                })),
              ]}
            />
          ))}
          <p className={styles.note}>
            {answer.comparison &&
              t("bills.lines", {
                read: answer.lines.read,
                outside: answer.lines.outside,
                empty: answer.lines.empty,
              })}
          </p>
        </div>
      )}
    </>
  );
}

function withColumn(columns: Columns, column: InvoiceColumn, value: string): Columns {
  const { [column]: _, ...others } = columns;
  return value === "none" ? others : { ...others, [column]: Number(value) };
}
