import type { ReactNode } from "react";
import type { AssetActions, NamedAct } from "../../components/asset/inspector/use-asset-actions.ts";
import { useFileDrop } from "../../components/composer/use-file-drop.ts";
import { classes } from "../../ui/classes.ts";
import styles from "./library.module.css";

type AssetDropProps = {
  actions: Pick<AssetActions, "act">;
  /** The act on tiles dropped here; null if none may be. */
  does: NamedAct | null;
  children: ReactNode;
};

/** A target of the pane for tiles dragged out of the gallery. A toast reports the act. */
export function AssetDrop({ actions, does, children }: AssetDropProps) {
  const drop = useFileDrop(
    does ? { onAssets: (ids) => actions.act(does, ids, undefined, true) } : {},
  );
  return (
    <div {...drop.handlers} className={classes(drop.isOver && styles.over)}>
      {children}
    </div>
  );
}
