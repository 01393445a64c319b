/** Apart from the schema, which brings zod: the browser shows these. */
export const feedbackValues = ["up", "down"] as const;

/** What a rating is about, in praise and in blame alike. */
export const feedbackReasons = [
  "accuracy",
  "completeness",
  "instructions",
  "style",
  "length",
] as const;
