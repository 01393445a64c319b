import { useQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import type { Asset } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { runQuery } from "../../../data/queries/shared.queries.ts";
import { InspectorSection } from "../../../frame/inspector.tsx";
import { t } from "../../../messages/t.ts";
import { AssetTile } from "../asset-tile.tsx";
import styles from "./asset-inspector.module.css";

const shownMost = 5;

/** What went in, this one, and what was made from it. */
export function AssetLineage({
  detail: { asset, run, sources, madeFrom },
}: {
  detail: RouteOutput<"getAsset">;
}) {
  const remixOf = run?.remixOf ?? null;
  const remixed = useQuery({
    ...runQuery(remixOf ?? ""),
    enabled: remixOf !== null && sources.length === 0,
  });
  // Of several that the first run gave, this one comes from the one at its own place.
  const ofRemixed = remixed.data?.assets ?? [];
  const before =
    sources.length > 0
      ? sources
      : ofRemixed.filter((made) => made.outputIndex === asset.outputIndex).slice(0, 1);
  const hidden = Math.max(0, madeFrom.length - shownMost);
  return (
    <InspectorSection title={t("asset.lineage")}>
      <ul className={styles.lineage}>
        {before.slice(0, shownMost).map((source) => (
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
        {madeFrom.slice(0, shownMost).map((made) => (
          <li key={made.id}>
            <ChevronRight aria-hidden />
            <Node asset={made} />
          </li>
        ))}
        {hidden > 0 && (
          <li className={styles.hint}>{t("asset.lineage.more", { count: hidden })}</li>
        )}
      </ul>
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
