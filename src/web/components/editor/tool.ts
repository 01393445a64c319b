import type { ReactNode } from "react";
import type { JsonObject } from "#contract/json.ts";

/** The edited picture: its size and its address. */
export type EditedPicture = { width: number; height: number; url: string };

/** An editor's tool: its model input and its parts. */
export type ToolParts = {
  input: JsonObject;
  /** No setting would change the picture. */
  isUnchanged: boolean;
  reset: () => void;
  stage: ReactNode;
  settings: ReactNode;
};
