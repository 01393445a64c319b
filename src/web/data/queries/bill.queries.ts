import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { InvoiceColumn } from "#contract/filters/invoice-columns.ts";
import type { BillComparison } from "#contract/schemas/bills.ts";
import type { RouteInput, RouteOutput } from "#contract/schemas/index.ts";
import type { DayRange } from "#domain/money/usage-range.ts";
import { call, readAnswer, routePath } from "../client.ts";
import { refreshAfter } from "../keys.ts";

export type RequestComparison = NonNullable<BillComparison["requests"]>;
export type DayComparison = NonNullable<BillComparison["days"]>;
export type ComparedRun = RequestComparison["differing"]["rows"][number];
export type InvoiceAnswer = RouteOutput<"compareInvoice">;
export type Columns = Partial<Record<InvoiceColumn, number>>;

/** Reads the bill with a key, which isn't stored. */
export const useCompareBill = (connectionId: string) =>
  useMutation({
    mutationFn: (body: RouteInput<"compareBill", "body">) =>
      call("compareBill", { params: { connectionId }, body }),
    // The mutation cache must not retain the key.
    gcTime: 0,
  });

/** @param columns null lets the server guess the columns by name */
export type InvoiceRequest = { file: File; range: DayRange; columns: Columns | null };

export const useCompareInvoice = (connectionId: string) =>
  useMutation({
    mutationFn: async ({ file, range, columns }: InvoiceRequest): Promise<InvoiceAnswer> => {
      const query = { ...range, ...columns, guess: columns ? "false" : "true" };
      const path = routePath("compareInvoice", { params: { connectionId }, query });
      return readAnswer(
        await fetch(path, { method: "POST", headers: { accept: "application/json" }, body: file }),
      );
    },
  });

export function useAdoptCosts(connectionId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: RouteInput<"adoptBill", "body">) =>
      call("adoptBill", { params: { connectionId }, body }),
    onSuccess: () => refreshAfter(queryClient, "cost"),
  });
}
