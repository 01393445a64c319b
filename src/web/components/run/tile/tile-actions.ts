import type { Run } from "#contract/entities.ts";

/** What the tile of a run asks of the screen around it. */
export type TileActions = {
  /** False for viewers, who can only see and download. */
  mayEdit: boolean;
  /** Shows its details. */
  selectRun: (run: Run) => void;
  /** Opens its recipe in Create's form. */
  change: (run: Run) => void;
};
