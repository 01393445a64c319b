/** What a language model does for the prompt: rewrites it, or writes it from a picture. */
export type HelpKind = "improve" | "describe";

/** The texts that its dialog brings along. */
export const promptHelpAreas = ["ask", "models"] as const;
