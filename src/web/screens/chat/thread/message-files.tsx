import { useQuery } from "@tanstack/react-query";
import { FileText, FileX } from "lucide-react";
import type { Asset } from "#contract/entities.ts";
import { AssetTile } from "../../../components/asset/asset-tile.tsx";
import { thumbnailUrl } from "../../../components/asset/asset-urls.ts";
import { AssetLink } from "../../../components/asset/inspector/asset-link.tsx";
import { messageFileQuery } from "../../../data/queries/chat.queries.ts";
import { formatBytes } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import styles from "./message-files.module.css";

/** The largest width of a picture in a message, in CSS px. */
const picturePx = 240;

/** A message's files: pictures as tiles with acts, others by name. Each opens in the viewer. */
export function MessageFiles({ assetIds }: { assetIds: readonly string[] }) {
  if (assetIds.length === 0) return null;
  return (
    <ul className={styles.files} aria-label={t("chat.files")}>
      {assetIds.map((assetId) => (
        <MessageFile key={assetId} assetId={assetId} />
      ))}
    </ul>
  );
}

function MessageFile({ assetId }: { assetId: string }) {
  const { data, isError } = useQuery(messageFileQuery(assetId));
  if (isError)
    return (
      <li className={styles.file}>
        <FileX aria-hidden />
        <span className={styles.name}>{t("chat.files.gone")}</span>
      </li>
    );
  if (!data) return <li className={styles.blank} aria-hidden />;
  const { asset } = data;
  if (hasPicture(asset))
    return (
      <li
        className={styles.picture}
        style={{ aspectRatio: `${asset.width ?? 1} / ${asset.height ?? 1}` }}
      >
        <AssetTile asset={asset} href={`/library/${assetId}`} width={picturePx} hasToolbar />
      </li>
    );
  return (
    <li>
      <AssetLink assetId={assetId} className={styles.file}>
        <FileText aria-hidden />
        <span className={styles.name}>{asset.title}</span>
        <span className={styles.size}>{formatBytes(asset.bytes)}</span>
      </AssetLink>
    </li>
  );
}

/** A video has one if its poster could be made. */
const hasPicture = (asset: Asset): boolean =>
  asset.kind === "image" || (asset.kind === "video" && thumbnailUrl(asset, picturePx) !== null);
