import { useQuery } from "@tanstack/react-query";
import { FileText, FileX, Play } from "lucide-react";
import type { Asset } from "#contract/entities.ts";
import { thumbnailUrl } from "../../../components/asset/asset-urls.ts";
import { AssetLink } from "../../../components/asset/inspector/asset-link.tsx";
import { ThumbhashCanvas } from "../../../components/asset/thumbhash-canvas.tsx";
import { messageFileQuery } from "../../../data/queries/chat.queries.ts";
import { formatBytes, formatClip } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import styles from "./message-files.module.css";

/**
 * The width of a picture in a message, in CSS px. Twice the width is loaded, for high-density
 * screens.
 */
const picturePx = 240;

/** A message's files: pictures as previews, others by name. Each opens in the viewer. */
export function MessageFiles({ assetIds }: { assetIds: readonly string[] }) {
  if (assetIds.length === 0) return null;
  return (
    <ul className={styles.files} aria-label={t("chat.files")}>
      {assetIds.map((assetId) => (
        <li key={assetId}>
          <MessageFile assetId={assetId} />
        </li>
      ))}
    </ul>
  );
}

function MessageFile({ assetId }: { assetId: string }) {
  const { data, isError } = useQuery(messageFileQuery(assetId));
  if (isError) {
    return (
      <span className={styles.file}>
        <FileX aria-hidden />
        <span className={styles.name}>{t("chat.files.gone")}</span>
      </span>
    );
  }
  if (!data) return <span className={styles.blank} aria-hidden />;
  const { asset } = data;
  return (
    <AssetLink assetId={assetId} className={hasPicture(asset) ? styles.picture : styles.file}>
      {hasPicture(asset) ? <Picture asset={asset} /> : <FileCaption asset={asset} />}
    </AssetLink>
  );
}

/** A video has one if its poster could be made. */
const hasPicture = (asset: Asset): boolean =>
  asset.kind === "image" || (asset.kind === "video" && thumbnailUrl(asset, picturePx) !== null);

function Picture({ asset }: { asset: Asset }) {
  const { kind, title, width, height, durationMs, thumbhash } = asset;
  return (
    <span
      className={styles.frame}
      style={width && height ? { aspectRatio: `${width} / ${height}` } : undefined}
    >
      {thumbhash && <ThumbhashCanvas thumbhash={thumbhash} className={styles.hash} />}
      <img
        src={thumbnailUrl(asset, picturePx * 2) ?? undefined}
        alt={title}
        loading="lazy"
        decoding="async"
      />
      {kind === "video" && (
        <span className={styles.clip}>
          <Play aria-hidden />
          {durationMs === null ? t("asset.kind.video") : formatClip(durationMs)}
        </span>
      )}
    </span>
  );
}

function FileCaption({ asset }: { asset: Asset }) {
  return (
    <>
      <FileText aria-hidden />
      <span className={styles.name}>{asset.title}</span>
      <span className={styles.size}>{formatBytes(asset.bytes)}</span>
    </>
  );
}
