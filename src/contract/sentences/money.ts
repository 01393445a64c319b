/** Budgets, bills and costs. */
export const money = {
  tooLarge: ({ megabytes }: { megabytes: number }) =>
    `An invoice can have at most ${megabytes} MB.`,
  lowerForAdmins: "Only an admin can book a lower cost, because that frees budget.",
  fromBill: "From the provider’s bill.",
  fromInvoice: "From the provider’s invoice.",
  billUnreadable: ({ provider }: { provider: string }) =>
    `The bill of ${provider} can’t be read. Upload its invoice as CSV.`,
  billNotAllowed: ({ provider }: { provider: string }) =>
    `${provider} does not show its bills to this key.`,
  billTooLong: ({ most }: { most: string }) =>
    `The bill has more than ${most} requests. Choose fewer days.`,
  amountTooLarge: "The bill has an amount that is too large.",
  noSuchColumn: "The invoice has no such column.",
  notCsv: "The invoice is not CSV: its first line names fewer than two columns.",
  tooManyLines: ({ most }: { most: string }) =>
    `An invoice can have at most ${most} lines. Split it by time.`,
  invoiceLine: ({ line, reason }: { line: number; reason: string }) => `Line ${line}: ${reason}.`,
  notText: "The invoice is not a text file. Save it as CSV in UTF-8.",
  liveNeedsApproval: ({ budget }: { budget: string }) =>
    `This would exceed ${budget}, which requires approval. A live session can’t wait for approval.`,
  tokenUnlimited: ({ budget }: { budget: string }) =>
    `fal bills sockets directly, so it could exceed ${budget}. Use a realtime model in Draw, or call another model with fal.subscribe.`,
  askForMore: ({ people }: { people: string }) =>
    `Ask ${people} to raise it, or choose a cheaper model.`,
  noUpperBound: ({ budget }: { budget: string }) =>
    `The maximum cost of this run is unknown, and ${budget} must not be exceeded.`,
  askForCeiling: ({ people }: { people: string }) =>
    `Ask ${people} to set a ceiling per run of this model, or choose a model with a price.`,
  exceeds: ({ cost, budget, left }: { cost: string; budget: string; left: string }) =>
    `This may cost up to ${cost}, and ${budget} has ${left} left.`,
  nothingLeft: ({ budget }: { budget: string }) =>
    `This costs money, and ${budget} has nothing left.`,
  wayOut: ({ way }: { way: string }) => `${way}, or choose a cheaper model.`,
  wayOutFree: ({ way }: { way: string }) => `${way}, or choose a free model.`,
  callNeedsApproval: "This run needs a budget approval, and an API call can’t wait for one.",
  costMore: ({ cost, reserved }: { cost: string; reserved: string }) =>
    `This cost ${cost}, more than the ${reserved} reserved for it.`,
  toolWithoutPrice: ({ rest }: { rest: string }) =>
    `This answer used a tool whose price is unknown. Everything else in it cost ${rest}.`,
  fromUsage: "From the price and the usage.",
};
