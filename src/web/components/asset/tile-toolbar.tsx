import { useQuery } from "@tanstack/react-query";
import { BookmarkCheck, CircleCheck, Info } from "lucide-react";
import type { MouseEvent, ReactNode } from "react";
import type { Asset } from "#contract/entities.ts";
import { assetQuery } from "../../data/queries/shared.queries.ts";
import { useRowActions } from "../../frame/action-menu.tsx";
import { t } from "../../messages/t.ts";
import { classes } from "../../ui/classes.ts";
import { SkeletonText } from "../../ui/display/skeleton.tsx";
import { Sheet } from "../../ui/overlays/sheet.tsx";
import { useViewerActions, type ViewerAction } from "../viewer/use-viewer-actions.ts";
import { assetName } from "./asset-name.ts";
import { Stars } from "./inspector/asset-judgement.tsx";
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

/** The act's name with its price. */
const titleOf = ({ label, price }: ViewerAction): string =>
  price ? t("viewer.act.price", { act: label, price }) : label;

function useTileToolbar(asset: Asset) {
  const mayJudge = useMayEdit(asset) && asset.trashedAt === null;
  const { data: detail, isLoading } = useQuery(assetQuery(asset.id));
  const { acts: all, areComing } = useViewerActions(asset, runInProject(detail));
  const judge = useJudge();
  const isKept = asset.pick === "kept";
  return {
    modelName: detail?.modelName ?? null,
    /** An act or its price is missing. It would push the others aside. */
    isComing: isLoading || areComing,
    all,
    acts: all.filter(({ id }) => onTile.includes(id)),
    isKept,
    keep: mayJudge ? () => judge(asset, { pick: isKept ? "none" : "kept" }) : null,
    rate: mayJudge ? (rating: number) => judge(asset, { rating }) : null,
  };
}

/** The overlay at a tile's bottom on hover or focus: the model's name and the most common acts. */
export function TileToolbar({ asset, onInspect }: TileToolbarProps) {
  const { modelName, isComing, all, acts, isKept, keep } = useTileToolbar(asset);
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
            id="keep"
            label={t("asset.keep")}
            isPressed={isKept}
            icon={<BookmarkCheck aria-hidden />}
            onPress={keep}
          />
        )}
        {!isComing &&
          acts.map((act) => (
            <TileButton
              key={act.id}
              id={act.id}
              label={titleOf(act)}
              icon={<act.icon aria-hidden />}
              price={
                act.id === "vary" && act.price
                  ? t("viewer.vary.tile", { price: act.price })
                  : act.price
              }
              isDisabled={act.isDisabled}
              onPress={act.run}
            />
          ))}
        {!isComing && onInspect && (
          <TileButton
            id="facts"
            label={t("viewer.facts")}
            icon={<Info aria-hidden />}
            onPress={onInspect}
          />
        )}
      </div>
    </div>
  );
}

type TileButtonProps = {
  /** Narrow tiles leave out some acts, or their price. */
  id: ViewerAction["id"] | "keep" | "facts";
  label: string;
  icon: ReactNode;
  price?: string;
  isPressed?: boolean;
  isDisabled?: boolean;
  onPress: () => void;
};

function TileButton({ id, label, icon, price, isPressed, isDisabled, onPress }: TileButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      aria-pressed={isPressed}
      data-tooltip={label}
      disabled={isDisabled}
      data-act={id}
      className={classes(styles.act, isPressed && styles.pressed)}
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

type TileSheetProps = TileToolbarProps & {
  /** Given in a gallery with a selection. */
  onSelect: (() => void) | undefined;
  open: boolean;
  onOpenChange: (open: boolean) => void;
};

type SheetRow = Pick<ViewerAction, "label" | "icon" | "price" | "isDisabled" | "run">;

/** A tile's acts as a sheet after a long press, for devices without a mouse. */
export function TileSheet({ asset, onInspect, onSelect, open, onOpenChange }: TileSheetProps) {
  const { modelName, isComing, acts, isKept, keep, rate } = useTileToolbar(asset);
  const rows: SheetRow[] = [
    ...(onSelect ? [{ label: t("viewer.select"), icon: CircleCheck, run: onSelect }] : []),
    ...(keep
      ? [{ label: t(isKept ? "viewer.unkeep" : "asset.keep"), icon: BookmarkCheck, run: keep }]
      : []),
    ...acts,
    ...(onInspect ? [{ label: t("viewer.facts"), icon: Info, run: onInspect }] : []),
  ];
  return (
    <Sheet side="bottom" title={assetName(asset)} open={open} onOpenChange={onOpenChange}>
      {isComing ? (
        <div className={styles.coming}>
          <SkeletonText lines={6} />
        </div>
      ) : (
        <>
          {modelName && <p className={styles.maker}>{modelName}</p>}
          {rate && <Stars isLarge rating={asset.rating} onRating={rate} />}
          <ul className={styles.rows}>
            {rows.map(({ label, icon: Icon, price, isDisabled, run }) => (
              <li key={label}>
                <button
                  type="button"
                  disabled={isDisabled}
                  onClick={() => {
                    onOpenChange(false);
                    run();
                  }}
                >
                  <Icon aria-hidden />
                  <span>{label}</span>
                  {price && <span className={styles.detail}>{price}</span>}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </Sheet>
  );
}
