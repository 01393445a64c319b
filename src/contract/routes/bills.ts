import type { RouteTable } from "../route.ts";

const target = { kind: "connection", from: "param", name: "connectionId" } as const;
/** What a provider billed, held against the books. */
export const billRoutes = {
  compareBill: {
    method: "POST",
    path: "/api/v1/connections/:connectionId/bill-comparison",
    permission: "connection:manage",
    target,
    summary:
      "Read the provider's bill with a key given for this once, and hold it against the books.",
  },
  compareInvoice: {
    method: "POST",
    path: "/api/v1/connections/:connectionId/invoice-comparison",
    permission: "connection:manage",
    target,
    summary: "Hold a provider's invoice, as CSV, against the books.",
    body: "bytes",
    errors: ["too_large"],
  },
  adoptBill: {
    method: "POST",
    path: "/api/v1/connections/:connectionId/adopted-costs",
    permission: "connection:manage",
    target,
    summary: "Book what the provider billed for runs of which something else is booked.",
  },
} as const satisfies RouteTable;
