import { type FormEvent, useState } from "react";
import type { BillComparison } from "#contract/schemas/bills.ts";
import { fieldProblem } from "../../../data/field-problem.ts";
import {
  type Columns,
  useCompareBill,
  useCompareInvoice,
} from "../../../data/queries/bill.queries.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { Segmented } from "../../../ui/controls/segmented.tsx";
import { TextField } from "../../../ui/controls/text-field.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import styles from "./bill.module.css";
import { DayResult } from "./day-result.tsx";
import { InvoiceFields } from "./invoice-fields.tsx";
import { RequestResult } from "./request-result.tsx";

type Source = "bill" | "invoice";
const toDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** The comparison's inputs (days, and a key or an invoice) above its result. */
export function BillWork({
  connectionId,
  keyHint,
}: {
  connectionId: string;
  keyHint: string | null;
}) {
  const [source, setSource] = useState<Source>(keyHint === null ? "invoice" : "bill");
  const [range, setRange] = useState(() => ({
    from: `${toDay(Date.now()).slice(0, 7)}-01`,
    to: toDay(Date.now()),
  }));
  const [key, setKey] = useState("");
  const [file, setFile] = useState<File | null>(null);
  const bill = useCompareBill(connectionId);
  const invoice = useCompareInvoice(connectionId);
  const asked = source === "bill" ? bill : invoice;
  const refused = fieldProblem(asked.error);
  const answer = source === "invoice" ? invoice.data : undefined;
  const comparison: BillComparison | null | undefined =
    source === "bill" ? bill.data?.comparison : answer?.comparison;

  function compare(event: FormEvent): void {
    event.preventDefault();
    if (source === "bill") bill.mutate({ ...range, key });
    else if (file) compareFile(file, null);
  }
  const compareFile = (chosen: File, columns: Columns | null) =>
    invoice.mutate({ file: chosen, range, columns });
  const errorOf = (field: string) => (refused?.field === field ? refused.text : null);
  const isUnnamed = asked.error !== null && !["from", "to", "key"].includes(refused?.field ?? "");
  return (
    <>
      <form className={styles.form} onSubmit={compare}>
        {keyHint !== null && (
          <Segmented
            label={t("bills.source")}
            value={source}
            onValueChange={setSource}
            options={(["bill", "invoice"] as const).map((value) => ({
              value,
              label: t(`bills.source.${value}`),
            }))}
          />
        )}
        <div className={styles.fields}>
          {(["from", "to"] as const).map((field) => (
            <TextField
              key={field}
              type="date"
              required
              label={t(`bills.${field}`)}
              error={errorOf(field)}
              value={range[field]}
              onValueChange={(value) => setRange({ ...range, [field]: value })}
            />
          ))}
          {source === "bill" ? (
            <TextField
              type="password"
              autoComplete="off"
              required
              label={t("bills.key")}
              hint={`${keyHint} ${t("bills.key.hint")}`}
              error={errorOf("key")}
              value={key}
              onValueChange={setKey}
            />
          ) : (
            <InvoiceFields
              answer={invoice.isError ? undefined : answer}
              onFile={(chosen) => {
                setFile(chosen);
                invoice.reset();
              }}
              onColumns={(columns) => file && compareFile(file, columns)}
            />
          )}
        </div>
        <div className={styles.act}>
          <Button
            type="submit"
            variant="primary"
            busy={asked.isPending}
            disabled={source === "invoice" && file === null}
          >
            {t("bills.compare")}
          </Button>
          <p className={styles.note}>{t("bills.utc")}</p>
        </div>
      </form>
      {isUnnamed && <ErrorState compact error={asked.error} />}
      <div role="status">
        {asked.isPending && <p className={styles.note}>{t("bills.reading")}</p>}
      </div>
      {!asked.isPending && !asked.error && comparison?.requests && (
        <RequestResult
          key={asked.submittedAt}
          connectionId={connectionId}
          source={source}
          told={comparison.requests}
        />
      )}
      {!asked.isPending && !asked.error && comparison?.days && <DayResult told={comparison.days} />}
    </>
  );
}
