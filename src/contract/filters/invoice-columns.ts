/** The meanings of a column in a provider's invoice. */
export const invoiceColumns = ["request", "date", "model", "cost"] as const;
export type InvoiceColumn = (typeof invoiceColumns)[number];
