import type { Slot } from "../../../data/kept/kept.ts";

/** The prompt that models of a project are tried with, on a page or side by side. */
export const triedPrompt: Slot<string> = {
  kind: "draft",
  name: "models-try",
  version: 1,
  empty: "",
  parse: (saved) => (typeof saved === "string" ? saved : null),
};
