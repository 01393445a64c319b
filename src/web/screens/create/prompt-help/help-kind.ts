/** A language model's help with the prompt: rewriting it, or writing one from a picture. */
export type HelpKind = "improve" | "describe";

/** The message areas that its dialog loads. */
export const promptHelpAreas = ["ask", "models"] as const;
