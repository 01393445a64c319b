import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import type { Asset } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { madeFromQuery, runQuery } from "../../../data/queries/shared.queries.ts";
import { InspectorSection } from "../../../frame/inspector.tsx";
import { t } from "../../../messages/t.ts";
import { ListMore } from "../../../ui/lists/list-more.tsx";
import { useFirstFew } from "../../../ui/lists/use-first-few.ts";
import { AssetTile } from "../asset-tile.tsx";
import styles from "./asset-inspector.module.css";

const maxShown = 5;

/** An asset's sources, the asset, and the assets made from it. */
export function AssetLineage({
  detail: { asset, run, sources, madeFrom, madeFromNext },
}: {
  detail: RouteOutput<"getAsset">;
}) {
  const remixOf = run?.remixOf ?? null;
  const remixed = useQuery({
    ...runQuery(remixOf ?? ""),
    enabled: remixOf !== null && sources.length === 0,
  });
  // If the first run made several outputs, this asset derives from the one at the same index.
  const ofRemixed = remixed.data?.assets ?? [];
  const before =
    sources.length > 0
      ? sources
      : ofRemixed.filter((made) => made.outputIndex === asset.outputIndex).slice(0, 1);
  const behind = useInfiniteQuery(madeFromQuery(asset.id, madeFromNext));
  const made = useFirstFew(
    [...madeFrom, ...(behind.data?.pages.flatMap((page) => page.assets) ?? [])],
    {
      hasNextPage: behind.data ? behind.hasNextPage : madeFromNext !== null,
      isFetchingNextPage: behind.isFetching,
      fetchNextPage: behind.fetchNextPage,
    },
    maxShown,
  );
  return (
    <InspectorSection title={t("asset.lineage")}>
      <ul className={styles.lineage}>
        {before.slice(0, maxShown).map((source) => (
          <li key={source.id}>
            <Node asset={source} />
            <ChevronRight aria-hidden />
          </li>
        ))}
        <li>
          <div className={`${styles.node} ${styles.current}`} aria-current="true">
            <Node asset={asset} />
          </div>
        </li>
        {made.shown.map((one) => (
          <li key={one.id}>
            <ChevronRight aria-hidden />
            <Node asset={one} />
          </li>
        ))}
      </ul>
      <ListMore query={made.more} of={t("asset.lineage")} />
    </InspectorSection>
  );
}

function Node({ asset }: { asset: Asset }) {
  return (
    <div className={styles.node}>
      <AssetTile asset={asset} href={`/library/${asset.id}`} width={52} />
    </div>
  );
}
