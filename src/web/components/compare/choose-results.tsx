import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
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
  /** Only results of the same kind can be compared. */
  kind: Asset["kind"];
  /** The results already in the comparison, which aren't offered. */
  without: readonly string[];
  /** The number of results in the comparison besides those selected here. */
  there: number;
  /** The button's label, by the number selected. */
  label: (chosen: number) => string;
  isBusy: boolean;
  onChoose: (assetIds: string[]) => void;
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
}: ChooseProps) {
  const { project } = useSession();
  const [q, setQ] = useState("");
  const [chosen, setChosen] = useState<string[]>([]);
  const asked = useDebounced(q.trim());
  const isListed = kind === "image" || kind === "video" || kind === "audio";
  const found = useInfiniteQuery({
    ...libraryQuery(project.id, { ...(isListed && { kind }), q: asked }),
    enabled: open,
  });
  const assets = (found.data?.pages.flatMap((page) => page.assets) ?? []).filter(
    (asset) => asset.kind === kind && asset.runId !== null && !without.includes(asset.id),
  );
  const most = limits.comparisonEntries - there;
  const toggle = (id: string) =>
    setChosen((before) =>
      before.includes(id)
        ? before.filter((one) => one !== id)
        : before.length < most
          ? [...before, id]
          : before,
    );
  const footer = (
    <>
      <Button onClick={() => onOpenChange(false)}>{t("ui.cancel")}</Button>
      <Button
        variant="primary"
        busy={isBusy}
        disabled={chosen.length === 0}
        onClick={() => onChoose(chosen)}
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
        <p className={styles.note}>{t("compare.choose.none")}</p>
      ) : (
        <ul className={styles.tiles}>
          {assets.map((asset) => (
            <li key={asset.id}>
              <AssetTile
                asset={asset}
                href={`/library/${asset.id}`}
                width={tilePx}
                isSelecting
                isSelected={chosen.includes(asset.id)}
                onToggle={() => toggle(asset.id)}
                onOpen={(event) => {
                  event.preventDefault();
                  toggle(asset.id);
                }}
              />
            </li>
          ))}
        </ul>
      )}
      <ListMore query={found} />
      <p className={styles.note}>{t("compare.choose.most", { most })}</p>
    </Dialog>
  );
}
