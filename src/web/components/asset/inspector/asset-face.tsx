import type { Asset } from "#contract/entities.ts";
import { t } from "../../../messages/t.ts";
import { assetName } from "../asset-name.ts";
import { AssetTile } from "../asset-tile.tsx";
import { fileUrl, posterUrl } from "../asset-urls.ts";
import { SoundPlayer } from "../sound-player.tsx";
import styles from "./asset-inspector.module.css";
import { AssetLink } from "./asset-link.tsx";

/** The asset above its facts: a picture that opens its page, or a player. */
export function AssetFace({ asset }: { asset: Asset }) {
  if (asset.kind === "audio")
    return (
      <div className={styles.sound}>
        <SoundPlayer asset={asset} />
      </div>
    );
  if (asset.kind === "video")
    return (
      // biome-ignore lint/a11y/useMediaCaption: captions come with the file where it has some
      <video
        key={asset.id}
        src={fileUrl(asset.id)}
        poster={posterUrl(asset)}
        controls
        preload="metadata"
        className={styles.film}
        aria-label={assetName(asset)}
      />
    );
  const ratio = asset.width && asset.height ? asset.width / asset.height : 1.5;
  return (
    <div
      className={styles.preview}
      style={{ aspectRatio: String(Math.min(2.6, Math.max(0.85, ratio))) }}
    >
      <AssetTile asset={asset} href={`/library/${asset.id}`} width={288} contain />
      <AssetLink
        assetId={asset.id}
        className={styles.previewLink}
        aria-label={t("asset.openPage", { name: assetName(asset) })}
      />
    </div>
  );
}
