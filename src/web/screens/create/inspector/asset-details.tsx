import { Link } from "@tanstack/react-router";
import { Download, ImageUp, Library, Repeat2, Shuffle, SlidersHorizontal } from "lucide-react";
import type { Asset, Run } from "#contract/entities.ts";
import { AssetTile } from "../../../components/asset/asset-tile.tsx";
import { fileUrl, thumbnailUrl, variantUrl } from "../../../components/asset/asset-urls.ts";
import { Facts, InspectorActions, InspectorSection } from "../../../frame/inspector.tsx";
import { formatBytes, formatClip } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button, buttonClass } from "../../../ui/controls/button.tsx";
import { Time } from "../../../ui/display/time.tsx";
import type { FeedActions } from "../feed/feed-actions.ts";
import { SoundPlayer } from "../feed/sound-tile.tsx";
import styles from "./inspector.module.css";
import { RecipeSection } from "./recipe.tsx";
import { useSeedFacts } from "./seed-facts.ts";

type Props = {
  asset: Asset;
  run: Run | null;
  modelName: string | null;
  sources: readonly Asset[];
  actions: FeedActions;
};

/** One file: what it is, how it was made, and what can be done with it. */
export function AssetDetails({ asset, run, modelName, sources, actions }: Props) {
  return (
    <>
      <div className={styles.face}>
        <Face asset={asset} />
      </div>
      <InspectorSection isPlain>
        <InspectorActions>
          {run && actions.mayEdit && <RecipeActions run={run} actions={actions} />}
          {actions.mayEdit && (
            <Button icon={ImageUp} onClick={() => actions.takeAsInput(asset)}>
              {t("create.useAsInput")}
            </Button>
          )}
          <Link to="/library/$assetId" params={{ assetId: asset.id }} className={buttonClass()}>
            <Library aria-hidden size={16} />
            {t("create.openInLibrary")}
          </Link>
          <a href={fileUrl(asset.id, { download: true })} download className={buttonClass()}>
            <Download aria-hidden size={16} />
            {t("create.download")}
          </a>
        </InspectorActions>
        {run && <SeedNote run={run} />}
      </InspectorSection>
      {run && <RecipeSection run={run} modelName={modelName ?? run.modelId} />}
      {sources.length > 0 && (
        <InspectorSection title={t("create.sources")}>
          <div className={styles.sources}>
            {sources.map((source) => (
              <div key={source.id} className={styles.source}>
                <AssetTile asset={source} href={`/library/${source.id}`} width={64} />
              </div>
            ))}
          </div>
        </InspectorSection>
      )}
      <InspectorSection title={t("create.file")}>
        <Facts
          facts={[
            [
              t("create.file.size"),
              asset.width && asset.height ? `${asset.width} × ${asset.height}` : null,
            ],
            [
              t("create.file.length"),
              asset.durationMs === null ? null : formatClip(asset.durationMs),
            ],
            [t("create.file.type"), asset.mime],
            [t("create.file.bytes"), formatBytes(asset.bytes)],
            [t("create.file.hash"), <code key="hash">{asset.sha256.slice(0, 16)}</code>],
            [t("create.file.made"), <Time key="made" at={asset.createdAt} />],
          ]}
        />
      </InspectorSection>
    </>
  );
}

function Face({ asset }: { asset: Asset }) {
  if (asset.kind === "audio") return <SoundPlayer asset={asset} />;
  if (asset.kind === "video") {
    const poster = asset.variants.includes("poster.webp")
      ? variantUrl(asset.id, "poster.webp")
      : undefined;
    return (
      // biome-ignore lint/a11y/useMediaCaption: captions come with the file where it has some
      <video
        key={asset.id}
        src={fileUrl(asset.id)}
        poster={poster}
        controls
        preload="metadata"
        className={styles.picture}
      />
    );
  }
  const src = thumbnailUrl(asset, 640);
  return src ? (
    <a href={fileUrl(asset.id)} target="_blank" rel="noreferrer" aria-label={t("create.openFile")}>
      <img
        className={styles.picture}
        src={src}
        alt={asset.promptText || asset.title}
        width={asset.width ?? undefined}
        height={asset.height ?? undefined}
      />
    </a>
  ) : null;
}

function RecipeActions({ run, actions }: { run: Run; actions: FeedActions }) {
  const { canVary } = useSeedFacts(run);
  return (
    <>
      <Button icon={Repeat2} onClick={() => actions.again(run, "same")}>
        {t("create.again")}
      </Button>
      <Button icon={Shuffle} disabled={!canVary} onClick={() => actions.again(run, "another")}>
        {t("create.vary")}
      </Button>
      <Button icon={SlidersHorizontal} onClick={() => actions.change(run)}>
        {t("create.change")}
      </Button>
    </>
  );
}

function SeedNote({ run }: { run: Run }) {
  const { note } = useSeedFacts(run);
  return note ? <p className={styles.note}>{note}</p> : null;
}
