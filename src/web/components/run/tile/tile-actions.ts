import type { Run } from "#contract/entities.ts";

/** A run tile's actions, provided by the screen around it. */
export type TileActions = {
  /** False for viewers, who can only view and download. */
  mayEdit: boolean;
  /** Shows the run's details. */
  selectRun: (run: Run) => void;
  /** Opens the run's recipe in Create's form. */
  change: (run: Run) => void;
};
