import { useQuery } from "@tanstack/react-query";
import { BookmarkCheck, Info } from "lucide-react";
import type { MouseEvent, ReactNode } from "react";
import type { Asset } from "#contract/entities.ts";
import { assetQuery } from "../../data/queries/shared.queries.ts";
import { useRowActions } from "../../frame/action-menu.tsx";
import { t } from "../../messages/t.ts";
import { classes } from "../../ui/classes.ts";
import { Sheet } from "../../ui/overlays/sheet.tsx";
import { useViewerActions, type ViewerAction } from "../viewer/use-viewer-actions.ts";
import { assetName } from "./asset-name.ts";
import { useJudge } from "./inspector/use-judge.ts";
import { runInProject } from "./run-in-project.ts";
import styles from "./tile-toolbar.module.css";
import { useMayEdit } from "./use-may-edit.ts";

type TileToolbarProps = {
  asset: Asset;
  /** Opens the inspector beside the list, if the screen has room for it. */
  onInspect?: () => void;
};

/** The acts with room on a tile; all others are in the viewer. */
const onTile: readonly ViewerAction["id"][] = ["vary", "edit", "use", "compare", "download"];

const widthOf: Partial<Record<ViewerAction["id"], "wide" | "wider">> = {
  vary: "wide",
  edit: "wider",
  compare: "wider",
};

/** The act's name with its price. */
const titleOf = ({ label, price }: ViewerAction): string =>
  price ? t("viewer.act.price", { act: label, price }) : label;

function useTileToolbar(asset: Asset) {
  const mayEdit = useMayEdit(asset);
  const detail = useQuery(assetQuery(asset.id)).data;
  const { acts: all } = useViewerActions(asset, runInProject(detail));
  const judge = useJudge();
  const isKept = asset.pick === "kept";
  return {
    modelName: detail?.modelName ?? null,
    all,
    acts: all.filter(({ id }) => onTile.includes(id)),
    isKept,
    keep:
      !mayEdit || asset.trashedAt !== null
        ? null
        : () => judge(asset, { pick: isKept ? "none" : "kept" }),
  };
}

/** The overlay at a tile's bottom on hover or focus: the model's name and the most common acts. */
export function TileToolbar({ asset, onInspect }: TileToolbarProps) {
  const { modelName, all, acts, isKept, keep } = useTileToolbar(asset);
  const at = useRowActions<HTMLDivElement>(assetName(asset), [
    ...(keep
      ? [
          {
            id: "keep",
            title: t(isKept ? "viewer.unkeep" : "asset.keep"),
            icon: BookmarkCheck,
            run: keep,
          },
        ]
      : []),
    ...all
      .filter(({ isDisabled }) => !isDisabled)
      .map((act) => ({ id: act.id, title: titleOf(act), icon: act.icon, run: act.run })),
    ...(onInspect ? [{ id: "facts", title: t("viewer.facts"), icon: Info, run: onInspect }] : []),
  ]);
  return (
    <div ref={at} className={styles.foot}>
      {modelName && <p className={styles.model}>{modelName}</p>}
      <div className={styles.acts}>
        {keep && (
          <TileButton
            label={t("asset.keep")}
            isPressed={isKept}
            icon={<BookmarkCheck aria-hidden />}
            onPress={keep}
          />
        )}
        {acts.map((act) => (
          <TileButton
            key={act.id}
            label={titleOf(act)}
            icon={<act.icon aria-hidden />}
            price={
              act.id === "vary" && act.price
                ? t("viewer.vary.tile", { price: act.price })
                : act.price
            }
            isDisabled={act.isDisabled}
            from={widthOf[act.id]}
            onPress={act.run}
          />
        ))}
        {onInspect && (
          <TileButton label={t("viewer.facts")} icon={<Info aria-hidden />} onPress={onInspect} />
        )}
      </div>
    </div>
  );
}

type TileButtonProps = {
  label: string;
  icon: ReactNode;
  price?: string;
  isPressed?: boolean;
  isDisabled?: boolean;
  /** Left out on narrower tiles. */
  from?: "wide" | "wider" | undefined;
  onPress: () => void;
};

function TileButton({ label, icon, price, isPressed, isDisabled, from, onPress }: TileButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      aria-pressed={isPressed}
      data-tooltip={label}
      disabled={isDisabled}
      className={classes(styles.act, from && styles[from], isPressed && styles.pressed)}
      onClick={(event: MouseEvent) => {
        event.stopPropagation();
        onPress();
      }}
    >
      {icon}
      {price && <span>{price}</span>}
    </button>
  );
}

type TileSheetProps = TileToolbarProps & { open: boolean; onOpenChange: (open: boolean) => void };

/** A tile's acts as a sheet after a long press, for devices without a mouse. */
export function TileSheet({ asset, onInspect, open, onOpenChange }: TileSheetProps) {
  const { modelName, acts, isKept, keep } = useTileToolbar(asset);
  const row = (label: string, icon: ReactNode, run: () => void, detail?: string, off = false) => (
    <li key={label}>
      <button
        type="button"
        disabled={off}
        onClick={() => {
          onOpenChange(false);
          run();
        }}
      >
        {icon}
        <span>{label}</span>
        {detail && <span className={styles.detail}>{detail}</span>}
      </button>
    </li>
  );
  return (
    <Sheet side="bottom" title={assetName(asset)} open={open} onOpenChange={onOpenChange}>
      {modelName && <p className={styles.maker}>{modelName}</p>}
      <ul className={styles.rows}>
        {keep &&
          row(t(isKept ? "viewer.unkeep" : "asset.keep"), <BookmarkCheck aria-hidden />, keep)}
        {acts.map((act) =>
          row(act.label, <act.icon aria-hidden />, act.run, act.price, act.isDisabled),
        )}
        {onInspect && row(t("viewer.facts"), <Info aria-hidden />, onInspect)}
      </ul>
    </Sheet>
  );
}
