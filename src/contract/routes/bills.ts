import type { RouteTable } from "../route.ts";

const target = { kind: "connection", from: "param", name: "connectionId" } as const;
/** Comparisons of a provider's bill with the ledger. */
export const billRoutes = {
  compareBill: {
    method: "POST",
    path: "/api/v1/connections/:connectionId/bill-comparison",
    permission: "connection:manage",
    target,
    summary: "Read the provider's bill with a one-time key and compare it with the ledger.",
  },
  compareInvoice: {
    method: "POST",
    path: "/api/v1/connections/:connectionId/invoice-comparison",
    permission: "connection:manage",
    target,
    summary: "Compare a provider's invoice (CSV) with the ledger.",
    body: "bytes",
    errors: ["too_large"],
  },
  adoptBill: {
    method: "POST",
    path: "/api/v1/connections/:connectionId/adopted-costs",
    permission: "connection:manage",
    target,
    summary: "Book the billed costs of runs whose booked costs differ.",
  },
} as const satisfies RouteTable;
