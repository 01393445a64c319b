import { z } from "zod";
import { id, micros, time } from "../entities.ts";
import { invoiceColumns } from "../filters/invoice-columns.ts";
import { limits } from "../limits.ts";

const params = z.object({ connectionId: id });
const day = z.iso.date();
const range = { from: day, to: day };
const dayMs = 24 * 60 * 60_000;
const isRange = ({ from, to }: { from: string; to: string }) => from <= to;
const isShort = ({ from, to }: { from: string; to: string }) =>
  Date.parse(to) - Date.parse(from) < limits.billDays * dayMs;
const inOrder = { path: ["to"], message: "The last day is before the first." };
const tooLong = { path: ["to"], message: `At most ${limits.billDays} days are compared at once.` };

const sum = z.object({ count: z.int(), micros: z.int() });
const listOf = <T extends z.ZodType>(row: T) => sum.extend({ rows: z.array(row) });
const comparedRun = z.object({
  runId: id,
  mayOpen: z.boolean(),
  requestId: z.string().nullable(),
  modelId: z.string(),
  at: time,
  billedMicros: micros,
  bookedMicros: micros,
});
/**
 * The billed amounts against the booked ones. Lists contain ids, models, times and money; each
 * returns its first rows and counts all.
 */
const billComparison = z.object({
  /** By request, if the bill has request IDs. `differing.micros` is billed minus booked. */
  requests: z
    .object({
      billed: sum,
      booked: sum,
      agreed: z.int(),
      differing: listOf(comparedRun),
      /** Unconfirmed runs that were billed. */
      unconfirmed: listOf(comparedRun),
      /** Runs that haven't ended yet. */
      underWay: z.int(),
      /** Requests without a known run; `maybe` is an unconfirmed run of the same model and time. */
      unknown: listOf(
        z.object({
          requestId: z.string(),
          modelId: z.string(),
          at: time,
          billedMicros: micros,
          maybe: z.object({ runId: id, mayOpen: z.boolean() }).nullable(),
        }),
      ),
      unbilled: listOf(comparedRun),
    })
    .nullable(),
  /** By UTC day and model, if the bill has no request IDs. */
  days: z
    .object({
      billed: sum,
      booked: sum,
      agreed: z.int(),
      differing: listOf(
        z.object({
          day: z.string(),
          modelId: z.string(),
          billedMicros: micros,
          bookedMicros: micros,
        }),
      ),
    })
    .nullable(),
});
export type BillComparison = z.infer<typeof billComparison>;

/** A column's position in the invoice, counted from 0; omitted if the invoice lacks it. */
const column = z.coerce.number().int().min(0).max(999).optional();

export const billSchemas = {
  compareBill: {
    params,
    body: z
      .strictObject({
        ...range,
        key: z
          .string()
          .trim()
          .regex(/^[\x21-\x7e]{1,500}$/, "A key has no spaces."),
      })
      .refine(isRange, inOrder)
      .refine(isShort, tooLong),
    response: z.object({ comparison: billComparison }),
  },
  compareInvoice: {
    params,
    query: z
      .strictObject({
        ...range,
        request: column,
        date: column,
        model: column,
        cost: column,
        guess: z.enum(["true", "false"]).default("true"),
      })
      .refine(isRange, inOrder)
      .refine(isShort, tooLong),
    response: z.object({
      /** The names of its columns, in order. */
      header: z.array(z.string()),
      /** The column positions used for reading. */
      columns: z
        .object({ request: z.int(), date: z.int(), model: z.int(), cost: z.int() })
        .partial(),
      /** Columns that have to be chosen first; nothing was compared without them. */
      missing: z.array(z.enum(invoiceColumns)),
      lines: z.object({ read: z.int(), outside: z.int(), empty: z.int() }),
      comparison: billComparison.nullable(),
    }),
  },
  adoptBill: {
    params,
    body: z.strictObject({
      costs: z
        .array(
          z.strictObject({
            runId: id,
            billedMicros: z.int().min(0).max(limits.saidCostMicros),
            bookedMicros: z.int(),
          }),
        )
        .min(1)
        .max(limits.billRows),
      /** The source of the figures, as the ledger records it. */
      source: z.enum(["bill", "invoice"]),
    }),
    response: z.object({
      adopted: z.int(),
      /**
       * Runs that were not booked, because their booked cost has changed since the comparison or
       * they haven't ended.
       */
      left: z.array(id),
    }),
  },
};
