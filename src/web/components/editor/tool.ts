import type { ReactNode } from "react";
import type { JsonObject } from "#contract/json.ts";

/** A picture as it is edited: its own size, and what it is shown from. */
export type EditedPicture = { width: number; height: number; url: string };

/** A tool of the editor: what it asks of its model, and what it shows. */
export type ToolParts = {
  input: JsonObject;
  /** Nothing is set yet that would change the picture. */
  isUnchanged: boolean;
  reset: () => void;
  stage: ReactNode;
  settings: ReactNode;
};
