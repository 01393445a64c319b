import { useInfiniteQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { libraryQuery } from "../../../data/queries/create.queries.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { SearchField } from "../../../ui/controls/text-field.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { Skeleton } from "../../../ui/display/skeleton.tsx";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import type { FileKind } from "../../schema-form/field-facts.ts";
import { AssetTile } from "../asset-tile.tsx";
import styles from "./library-picker.module.css";

type Choosing = {
  projectId: string;
  kind: FileKind;
  /** With 1, a click picks. With more, files are marked and then picked together. */
  most?: number;
  onPick: (assets: Asset[]) => void;
};

export type LibraryPickerProps = Choosing & {
  open: boolean;
  onOpenChange: (open: boolean) => void;
};

/** Picks files from the project's library. */
export function LibraryPicker({ open, onOpenChange, onPick, ...choosing }: LibraryPickerProps) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t("pick.title")} size="wide" isBare>
      <Choices
        {...choosing}
        onPick={(assets) => {
          onPick(assets);
          onOpenChange(false);
        }}
      />
    </Dialog>
  );
}

const tilePx = 132;

function Choices({ projectId, kind, most = 1, onPick }: Choosing) {
  const [search, setSearch] = useState("");
  const [chosen, setChosen] = useState<readonly Asset[]>([]);
  const q = useDeferredValue(search);
  const query = useInfiniteQuery(
    libraryQuery(projectId, { kind: kind === "file" ? undefined : kind, q }),
  );
  const assets = query.data?.pages.flatMap((page) => page.assets) ?? [];
  const isChosen = ({ id }: Asset) => chosen.some((asset) => asset.id === id);
  const toggle = (asset: Asset) =>
    setChosen((before) =>
      before.some(({ id }) => id === asset.id)
        ? before.filter(({ id }) => id !== asset.id)
        : [...before, asset].slice(0, most),
    );
  const take = (asset: Asset) => (most === 1 ? onPick([asset]) : toggle(asset));
  return (
    <div className={styles.picker}>
      <div className={styles.bar}>
        <SearchField
          label={t("pick.search")}
          value={search}
          onValueChange={setSearch}
          autoFocus
          className={styles.search}
        />
      </div>
      {query.isError && (
        <ErrorState compact error={query.error} onRetry={() => void query.refetch()} />
      )}
      {query.data && assets.length === 0 ? (
        <p className={styles.nothing}>{t(q ? "pick.none" : "pick.empty")}</p>
      ) : (
        <ul className={styles.grid} aria-busy={query.isPending || undefined}>
          {query.isPending &&
            ["a", "b", "c", "d", "e"].map((tile) => (
              <Skeleton key={tile} height="100%" radius={5} />
            ))}
          {assets.map((asset) => (
            <li key={asset.id}>
              <AssetTile
                asset={asset}
                href={`/library/${asset.id}`}
                width={tilePx}
                {...(most > 1 && {
                  isSelecting: true,
                  isSelected: isChosen(asset),
                  onToggle: () => toggle(asset),
                })}
                onOpen={(event) => {
                  event.preventDefault();
                  take(asset);
                }}
              />
            </li>
          ))}
          {query.hasNextPage && (
            <li className={styles.more}>
              <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                {t("pick.more")}
              </Button>
            </li>
          )}
        </ul>
      )}
      {most > 1 && (
        <div className={styles.foot}>
          {chosen.length === most && <p className={styles.full}>{t("pick.most", { most })}</p>}
          <Button
            variant="primary"
            disabled={chosen.length === 0}
            onClick={() => onPick([...chosen])}
          >
            {t("pick.add", { count: chosen.length })}
          </Button>
        </div>
      )}
    </div>
  );
}
