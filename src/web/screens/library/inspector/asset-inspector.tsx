import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Brush, CornerDownRight, MessageCircle, Repeat, Shuffle } from "lucide-react";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { isMadeByForm } from "#contract/tasks.ts";
import { assetName } from "../../../components/asset/asset-name.ts";
import { AssetTile } from "../../../components/asset/asset-tile.tsx";
import { kindOfAsset } from "../../../components/composer/attachment-kinds.ts";
import { attachToNewChat } from "../../../components/composer/new-chat-draft.ts";
import { modelQuery } from "../../../data/queries/models.queries.ts";
import { assetQuery } from "../../../data/queries/shared.queries.ts";
import { useSession } from "../../../data/shell-data.ts";
import { InspectorActions, InspectorSection } from "../../../frame/inspector.tsx";
import { t } from "../../../messages/t.ts";
import { Button, buttonClass } from "../../../ui/controls/button.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { Skeleton, SkeletonText } from "../../../ui/display/skeleton.tsx";
import { TrashNote } from "../trash-note.tsx";
import styles from "./asset-inspector.module.css";
import { AssetJudgement } from "./asset-judgement.tsx";
import { AssetLineage } from "./asset-lineage.tsx";
import { AssetMenu } from "./asset-menu.tsx";
import { AssetPrompt, AssetRecipe } from "./asset-recipe.tsx";
import { RemakeStatus } from "./remake-status.tsx";
import { hasSeed, useRemake } from "./use-remake.ts";

type Detail = RouteOutput<"getAsset">;

/** How an asset was made and what can be done with it. `withPreview` where the asset itself is not in sight beside it. */
export function AssetInspector({
  assetId,
  withPreview,
}: {
  assetId: string;
  withPreview: boolean;
}) {
  const query = useQuery(assetQuery(assetId));
  if (query.error && !query.data)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <InspectorSkeleton withPreview={withPreview} />;
  return <LoadedInspector key={assetId} detail={query.data} withPreview={withPreview} />;
}

function LoadedInspector({ detail, withPreview }: { detail: Detail; withPreview: boolean }) {
  const { asset, run } = detail;
  const { project } = useSession();
  const canEdit = project.role !== "viewer";
  return (
    <>
      {withPreview && <Preview detail={detail} />}
      {asset.trashedAt !== null && <TrashNote asset={asset} canEdit={canEdit} />}
      {asset.trashedAt === null && canEdit && (
        <InspectorSection isPlain>
          <AssetSteps detail={detail} />
        </InspectorSection>
      )}
      <AssetPrompt asset={asset} />
      <AssetRecipe detail={detail} />
      {canEdit && asset.trashedAt === null && (
        <InspectorSection title={t("asset.judge")}>
          <AssetJudgement asset={asset} />
          <AssetMenu asset={asset} />
        </InspectorSection>
      )}
      {(detail.sources.length > 0 || detail.madeFrom.length > 0 || run?.remixOf) && (
        <AssetLineage detail={detail} />
      )}
    </>
  );
}

function Preview({ detail: { asset } }: { detail: Detail }) {
  const ratio = asset.width && asset.height ? asset.width / asset.height : 1.5;
  return (
    <div
      className={styles.preview}
      style={{ aspectRatio: String(Math.min(2.6, Math.max(0.85, ratio))) }}
    >
      <AssetTile asset={asset} href={`/library/${asset.id}`} width={288} contain />
      <Link
        to="/library/$assetId"
        params={{ assetId: asset.id }}
        search={(search) => search}
        className={styles.previewLink}
        aria-label={t("asset.openPage", { name: assetName(asset) })}
      />
    </div>
  );
}

/** Where to go from here: the same again, another, a new input, a conversation. */
function AssetSteps({ detail: { asset, run } }: { detail: Detail }) {
  const { project, user } = useSession();
  const { start, isStarting, error, remake } = useRemake(asset, run);
  const canRemake = run !== null && isMadeByForm(run.task);
  const ref = run
    ? { connectionId: run.connectionId, modelId: run.modelId }
    : { connectionId: "", modelId: "" };
  const model = useQuery({ ...modelQuery(project.id, ref), enabled: canRemake }).data;
  const isSeeded = run !== null && hasSeed(run);
  // A model without a seed may still give the same each time, as an edit does.
  const isSure = isSeeded || model === undefined || model.capabilities.deterministic === true;
  return (
    <>
      <InspectorActions>
        {canRemake && (
          <>
            <Button
              variant="primary"
              icon={Repeat}
              busy={isStarting}
              onClick={() => start("again")}
            >
              {t("asset.makeAgain")}
            </Button>
            <Button
              icon={Shuffle}
              disabled={!isSeeded || isStarting}
              data-tooltip={isSeeded ? undefined : t("asset.noVary")}
              onClick={() => start("vary")}
            >
              {t("asset.vary")}
            </Button>
          </>
        )}
        {run?.task === "live" && (
          <Link
            to="/draw"
            search={{ from: asset.id }}
            className={buttonClass({ variant: "primary" })}
          >
            <Brush aria-hidden className={styles.icon} />
            {t("asset.drawOn")}
          </Link>
        )}
        <Link to="/create" search={{ asset: asset.id }} className={buttonClass()}>
          <CornerDownRight aria-hidden className={styles.icon} />
          {t("asset.use")}
        </Link>
        {kindOfAsset(asset) !== null && (
          <Link
            to="/chat"
            className={buttonClass()}
            onClick={() => attachToNewChat(user.id, asset)}
          >
            <MessageCircle aria-hidden className={styles.icon} />
            {t("asset.chat")}
          </Link>
        )}
      </InspectorActions>
      {canRemake && !isSure && <p className={styles.hint}>{t("asset.noSeed")}</p>}
      {remake && <RemakeStatus remake={remake} />}
      {error && <ErrorState compact error={error} />}
    </>
  );
}

function InspectorSkeleton({ withPreview }: { withPreview: boolean }) {
  return (
    <div className={styles.skeleton} role="status" aria-busy="true" aria-label={t("ui.loading")}>
      {withPreview && <Skeleton height={190} radius={5} />}
      <Skeleton height={32} />
      <SkeletonText lines={3} />
      <SkeletonText lines={6} />
    </div>
  );
}
