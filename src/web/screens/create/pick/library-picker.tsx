import { useInfiniteQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { AssetTile } from "../../../components/asset/asset-tile.tsx";
import type { FileKind } from "../../../components/schema-form/field-facts.ts";
import { libraryQuery } from "../../../data/queries/create.queries.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { SearchField } from "../../../ui/controls/text-field.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { Skeleton } from "../../../ui/display/skeleton.tsx";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import styles from "./pick.module.css";

type LibraryPickerProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  projectId: string;
  kind: FileKind;
  onPick: (asset: Asset) => void;
};

/** Chooses one file from the project's library. */
export function LibraryPicker({ open, onOpenChange, projectId, kind, onPick }: LibraryPickerProps) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t("create.library")} size="wide" isBare>
      <Choices
        projectId={projectId}
        kind={kind}
        onPick={(asset) => {
          onPick(asset);
          onOpenChange(false);
        }}
      />
    </Dialog>
  );
}

function Choices({
  projectId,
  kind,
  onPick,
}: Pick<LibraryPickerProps, "projectId" | "kind" | "onPick">) {
  const [search, setSearch] = useState("");
  const q = useDeferredValue(search);
  const query = useInfiniteQuery(
    libraryQuery(projectId, { kind: kind === "file" ? undefined : kind, q }),
  );
  const assets = query.data?.pages.flatMap((page) => page.assets) ?? [];
  return (
    <div className={styles.picker}>
      <div className={styles.bar}>
        <SearchField
          label={t("create.library.search")}
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
        <p className={styles.nothing}>{t(q ? "create.library.none" : "create.library.empty")}</p>
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
                width={132}
                onOpen={(event) => {
                  event.preventDefault();
                  onPick(asset);
                }}
              />
            </li>
          ))}
          {query.hasNextPage && (
            <li className={styles.more}>
              <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                {t("create.library.more")}
              </Button>
            </li>
          )}
        </ul>
      )}
    </div>
  );
}
