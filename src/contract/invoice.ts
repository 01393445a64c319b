/** What a column of a provider's invoice can be. */
export const invoiceColumns = ["request", "date", "model", "cost"] as const;
export type InvoiceColumn = (typeof invoiceColumns)[number];
