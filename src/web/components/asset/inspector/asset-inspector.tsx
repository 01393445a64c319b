import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import {
  Brush,
  CornerDownRight,
  Maximize2,
  MessageCircle,
  Repeat,
  Shuffle,
  SlidersHorizontal,
} from "lucide-react";
import type { ReactNode } from "react";
import type { Asset, Run } from "#contract/entities.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { isMadeByForm } from "#contract/tasks.ts";
import { assetQuery } from "../../../data/queries/shared.queries.ts";
import { useSession } from "../../../data/shell-data.ts";
import { InspectorActions, InspectorSection } from "../../../frame/inspector.tsx";
import { t } from "../../../messages/t.ts";
import { Button, buttonClass } from "../../../ui/controls/button.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { Skeleton, SkeletonText } from "../../../ui/display/skeleton.tsx";
import { kindOfAsset } from "../../composer/attachment-kinds.ts";
import { attachToNewChat } from "../../composer/new-chat-draft.ts";
import { CreateLink } from "../../run/detail/create-link.tsx";
import { Prompt, Recipe } from "../../run/detail/recipe.tsx";
import { runInProject } from "../run-in-project.ts";
import { AssetTags } from "../tags/asset-tags.tsx";
import { useMayEdit } from "../use-may-edit.ts";
import { AssetFace } from "./asset-face.tsx";
import styles from "./asset-inspector.module.css";
import { AssetJudgement } from "./asset-judgement.tsx";
import { AssetLineage } from "./asset-lineage.tsx";
import { AssetLink } from "./asset-link.tsx";
import { AssetMenu } from "./asset-menu.tsx";
import { RemakeStatus } from "./remake-status.tsx";
import { TrashNote } from "./trash-note.tsx";
import { useRemake, useRemakeOffers } from "./use-remake.ts";

type Detail = RouteOutput<"getAsset">;
type AssetInspectorProps = {
  assetId: string;
  /** True if the asset itself isn't visible next to the inspector. */
  withPreview: boolean;
};

/** How an asset was made, and the actions on it. */
export function AssetInspector({ assetId, withPreview }: AssetInspectorProps) {
  const query = useQuery(assetQuery(assetId));
  if (query.error && !query.data)
    return <ErrorState compact error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <InspectorSkeleton withPreview={withPreview} />;
  return <LoadedInspector key={assetId} detail={query.data} withPreview={withPreview} />;
}

function LoadedInspector({ detail, withPreview }: { detail: Detail; withPreview: boolean }) {
  const { asset, run, modelName } = detail;
  const canEdit = useMayEdit(asset);
  const isTrashed = asset.trashedAt !== null;
  return (
    <>
      {withPreview && <AssetFace asset={asset} />}
      {isTrashed && <TrashNote asset={asset} canEdit={canEdit} />}
      {!isTrashed && (canEdit || withPreview) && (
        <InspectorSection isPlain>
          <AssetSteps detail={detail} canEdit={canEdit} canOpen={withPreview} />
        </InspectorSection>
      )}
      {asset.promptText && (
        <InspectorSection>
          <Prompt text={asset.promptText} />
        </InspectorSection>
      )}
      <Recipe run={run} modelName={modelName} asset={asset} />
      {asset.runId !== null && run?.projectId !== asset.projectId && (
        <InspectorSection isPlain>
          <MadeElsewhere run={run} />
        </InspectorSection>
      )}
      {!isTrashed && (
        <InspectorSection title={canEdit ? t("asset.judge") : undefined}>
          {canEdit && <AssetJudgement asset={asset} />}
          <AssetMenu asset={asset} canEdit={canEdit} />
        </InspectorSection>
      )}
      {!isTrashed && (canEdit || detail.tags.length > 0) && (
        <InspectorSection title={t("tags.heading")}>
          <AssetTags asset={asset} tags={detail.tags} canEdit={canEdit} />
        </InspectorSection>
      )}
      {(detail.sources.length > 0 || detail.madeFrom.length > 0 || run?.remixOf) && (
        <AssetLineage detail={detail} />
      )}
    </>
  );
}

/** For a moved file: the project that made it, shown only to its members. */
function MadeElsewhere({ run }: { run: Run | null }) {
  const { projects } = useSession();
  const project = projects.find(({ id }) => id === run?.projectId)?.name;
  return (
    <p className={styles.hint}>
      {project === undefined ? t("move.madeElsewhere") : t("move.madeIn", { project })}
    </p>
  );
}

type AssetStepsProps = { detail: Detail; canEdit: boolean; canOpen: boolean };

/**
 * An asset's next steps: make again, vary, use as an input, start a conversation, open its page.
 */
function AssetSteps({ detail, canEdit, canOpen }: AssetStepsProps) {
  const { asset } = detail;
  const run = runInProject(detail);
  const page = canOpen && (
    <AssetLink assetId={asset.id} className={buttonClass()}>
      <Maximize2 aria-hidden className={styles.icon} />
      {t("asset.open")}
    </AssetLink>
  );
  const ways = (
    <>
      {canEdit && <OtherSteps asset={asset} run={run} />}
      {page}
    </>
  );
  if (!canEdit || !run || !isMadeByForm(run.task))
    return <InspectorActions>{ways}</InspectorActions>;
  return (
    <RemakeSteps asset={asset} run={run}>
      {ways}
    </RemakeSteps>
  );
}

function OtherSteps({ asset, run }: { asset: Asset; run: Run | null }) {
  const { user } = useSession();
  return (
    <>
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
      <CreateLink ask={{ asset: asset.id }} icon={CornerDownRight} label={t("asset.use")} />
      {kindOfAsset(asset) !== null && (
        <Link to="/chat" className={buttonClass()} onClick={() => attachToNewChat(user.id, asset)}>
          <MessageCircle aria-hidden className={styles.icon} />
          {t("asset.chat")}
        </Link>
      )}
    </>
  );
}

type RemakeStepsProps = { asset: Asset; run: Run; children: ReactNode };

/**
 * Runs the asset's recipe again, with its seed or another, or opens it in the form. The result's
 * status is shown below.
 */
function RemakeSteps({ asset, run, children }: RemakeStepsProps) {
  const { start, isStarting, error, remake } = useRemake(asset, run);
  const { again, vary, note } = useRemakeOffers(run);
  return (
    <>
      <InspectorActions>
        <Button
          variant="primary"
          icon={Repeat}
          busy={isStarting}
          disabled={again.price === null || again.refusal !== null}
          data-tooltip={again.refusal ?? undefined}
          onClick={() => start("again")}
        >
          {again.price === null
            ? t("run.makeAgain")
            : t("run.makeAgain.price", { price: again.price })}
        </Button>
        <Button
          icon={Shuffle}
          disabled={isStarting || vary.price === null || vary.refusal !== null}
          data-tooltip={vary.refusal ?? undefined}
          onClick={() => start("vary")}
        >
          {vary.price === null ? t("asset.vary") : t("asset.vary.price", { price: vary.price })}
        </Button>
        <CreateLink ask={{ remix: run.id }} icon={SlidersHorizontal} label={t("run.change")} />
        {children}
      </InspectorActions>
      {note && <p className={styles.hint}>{note}</p>}
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
