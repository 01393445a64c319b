import { useQuery } from "@tanstack/react-query";
import { assetQuery, runQuery } from "../../../data/queries/shared.queries.ts";
import { t } from "../../../messages/t.ts";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { Skeleton, SkeletonText } from "../../../ui/display/skeleton.tsx";
import type { FeedActions } from "../feed/feed-actions.ts";
import { AssetDetails } from "./asset-details.tsx";
import styles from "./inspector.module.css";
import { RunDetails } from "./run-details.tsx";

/** What is selected in the feed: a file with its recipe, or a run that brought none. */
export function MadeInspector({
  assetId,
  runId,
  actions,
}: {
  assetId?: string;
  runId?: string;
  actions: FeedActions;
}) {
  if (assetId) return <OfAsset key={assetId} assetId={assetId} actions={actions} />;
  if (runId) return <OfRun key={runId} runId={runId} actions={actions} />;
  return <p className={styles.nothing}>{t("create.inspector.nothing")}</p>;
}

function OfAsset({ assetId, actions }: { assetId: string; actions: FeedActions }) {
  const query = useQuery(assetQuery(assetId));
  if (query.isPending) return <Loading />;
  if (query.isError)
    return <ErrorState compact error={query.error} onRetry={() => void query.refetch()} />;
  return <AssetDetails {...query.data} actions={actions} />;
}

function OfRun({ runId, actions }: { runId: string; actions: FeedActions }) {
  const query = useQuery(runQuery(runId));
  if (query.isPending) return <Loading />;
  if (query.isError)
    return <ErrorState compact error={query.error} onRetry={() => void query.refetch()} />;
  return <RunDetails {...query.data} actions={actions} />;
}

function Loading() {
  return (
    <div className={styles.loading} role="status" aria-busy aria-label={t("ui.loading")}>
      <Skeleton height={216} radius={5} />
      <SkeletonText lines={5} />
    </div>
  );
}
