import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { WandSparkles } from "lucide-react";
import { useMemo } from "react";
import type { Asset, ModelDetail } from "#contract/entities.ts";
import { isMadeByForm } from "#contract/tasks.ts";
import { assetName } from "../../../components/asset/asset-name.ts";
import { AssetTile } from "../../../components/asset/asset-tile.tsx";
import { listOfAssets, useViewerList } from "../../../components/viewer/viewer-lists.tsx";
import { toModelPath } from "../../../data/model-ref.ts";
import { resultsOfModelQuery } from "../../../data/queries/catalogue.queries.ts";
import { PageSection } from "../../../frame/page.tsx";
import { t } from "../../../messages/t.ts";
import styles from "./made-with.module.css";

const tilePx = 160;

const none: readonly Asset[] = [];

/** The newest visible results of a model in this project. */
export function MadeWith({ projectId, model }: { projectId: string; model: ModelDetail }) {
  const { data: assets = none, isPending } = useQuery(resultsOfModelQuery(projectId, model));
  const list = useMemo(() => listOfAssets(assets), [assets]);
  useViewerList(isPending ? "coming" : list);
  if (assets.length === 0) return null;
  const byForm = model.tasks.some(isMadeByForm);
  return (
    <PageSection
      title={t("models.made")}
      action={
        <Link to="/library" search={{ model: toModelPath(model) }} className={styles.all}>
          {t("models.made.all")}
        </Link>
      }
    >
      <ul className={styles.tiles}>
        {assets.map((asset) => (
          <li key={asset.id} className={styles.tile}>
            <div className={styles.picture}>
              <AssetTile asset={asset} href={`/library/${asset.id}`} width={tilePx} hasToolbar />
            </div>
            {byForm && asset.runId && (
              <Link
                to="/create"
                search={{ remix: asset.runId }}
                className={styles.use}
                aria-label={t("models.made.use", { name: assetName(asset) })}
              >
                <WandSparkles aria-hidden />
                {t("models.use")}
              </Link>
            )}
          </li>
        ))}
      </ul>
    </PageSection>
  );
}
