import type { Slot } from "../../../data/saved/saved-entries.ts";

/** The prompt for trying a project's models, on a page or side by side. */
export const triedPrompt: Slot<string> = {
  kind: "draft",
  name: "models-try",
  version: 1,
  empty: "",
  parse: (saved) => (typeof saved === "string" ? saved : null),
};
