import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { libraryQuery } from "../../data/queries/create.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { SearchField } from "../../ui/controls/text-field.tsx";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { SkeletonText } from "../../ui/display/skeleton.tsx";
import { ListMore } from "../../ui/lists/list-more.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { useDebounced } from "../../ui/use-debounced.ts";
import { AssetTile } from "../asset/asset-tile.tsx";
import styles from "./choose-results.module.css";

const tilePx = 150;

type ChooseProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  /** Only results of the same kind can be compared. Without it, the first one chosen sets it. */
  kind?: Asset["kind"] | undefined;
  /** The results already in the comparison, which aren't offered. */
  without: readonly string[];
  /** The number of results in the comparison besides those selected here. */
  there: number;
  /** The button's label, by the number selected. */
  label: (chosen: number) => string;
  isBusy: boolean;
  onChoose: (assetIds: string[]) => void;
  /** Settings below the results. */
  children?: ReactNode;
};

/** Picks results from the library to compare: the newest, or those that a search finds. */
export function ChooseResults({
  open,
  onOpenChange,
  title,
  kind,
  without,
  there,
  label,
  isBusy,
  onChoose,
  children,
}: ChooseProps) {
  const { project } = useSession();
  const [q, setQ] = useState("");
  const [chosen, setChosen] = useState<readonly Asset[]>([]);
  const asked = useDebounced(q.trim());
  const shownKind = kind ?? chosen[0]?.kind;
  const isChosen = ({ id }: Asset) => chosen.some((one) => one.id === id);
  const isListed = kind === "image" || kind === "video" || kind === "audio";
  const found = useInfiniteQuery({
    ...libraryQuery(project.id, { ...(isListed && { kind }), q: asked }),
    enabled: open,
  });
  const assets = (found.data?.pages.flatMap((page) => page.assets) ?? []).filter(
    (asset) =>
      (shownKind === undefined || asset.kind === shownKind) &&
      asset.runId !== null &&
      !without.includes(asset.id),
  );
  const most = limits.comparisonEntries - there;
  const toggle = (asset: Asset) =>
    setChosen((before) => {
      const others = before.filter(({ id }) => id !== asset.id);
      return others.length < before.length
        ? others
        : before.length < most
          ? [...before, asset]
          : before;
    });
  const footer = (
    <>
      <Button onClick={() => onOpenChange(false)}>{t("ui.cancel")}</Button>
      <Button
        variant="primary"
        busy={isBusy}
        disabled={chosen.length === 0 || chosen.length + there < 2}
        onClick={() => onChoose(chosen.map(({ id }) => id))}
      >
        {label(chosen.length)}
      </Button>
    </>
  );
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={title} size="wide" footer={footer}>
      <SearchField
        label={t("compare.choose.search")}
        placeholder={t("compare.choose.search")}
        value={q}
        onValueChange={setQ}
      />
      {found.isError ? (
        <ErrorState compact error={found.error} onRetry={() => void found.refetch()} />
      ) : found.isPending ? (
        <SkeletonText />
      ) : assets.length === 0 ? (
        <p className={styles.note}>
          {t(shownKind ? "compare.choose.none" : "compare.choose.none.any")}
        </p>
      ) : (
        <ul className={styles.tiles}>
          {assets.map((asset) => (
            <li key={asset.id}>
              <AssetTile
                asset={asset}
                href={`/library/${asset.id}`}
                width={tilePx}
                isSelecting
                isSelected={isChosen(asset)}
                onToggle={() => toggle(asset)}
                onOpen={(event) => {
                  event.preventDefault();
                  toggle(asset);
                }}
              />
            </li>
          ))}
        </ul>
      )}
      <ListMore query={found} />
      <p className={styles.note}>{t("compare.choose.most", { most })}</p>
      {children}
    </Dialog>
  );
}
