import {
  AudioLines,
  Box,
  Check,
  File,
  FileText,
  Film,
  Image,
  type LucideIcon,
  Play,
} from "lucide-react";
import { type DragEvent, type MouseEvent, useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { formatClip } from "../../messages/format.ts";
import { t } from "../../messages/t.ts";
import { classes } from "../../ui/classes.ts";
import { isPlainClick, useViewerAddress } from "../viewer/viewer-address.ts";
import { assetDragType, assetName, kindNames } from "./asset-name.ts";
import { fileUrl, thumbnailUrl } from "./asset-urls.ts";
import { averageColor, ThumbhashCanvas } from "./thumbhash-canvas.tsx";
import styles from "./tile.module.css";
import { TileBox } from "./tile-box.tsx";

export type AssetTileProps = {
  asset: Asset;
  /** The address opened by a middle click. */
  href: string;
  /** Drawn width in px, which selects the thumbnail. */
  width: number;
  isSelected?: boolean;
  isSelecting?: boolean;
  /** From JustifiedGrid's box: shows only the average color until scrolling stops. */
  isFlying?: boolean;
  /** If given, the tile has a checkbox. */
  onToggle?: () => void;
  /** Selects the tile after a long press: from the sheet, or at once while others are selected. */
  onSelect?: () => void;
  /** From JustifiedGrid's box. */
  focus?: { tabIndex: 0 | -1; "data-grid-index": number };
  /** Called instead of opening the viewer. A grid handles clicks itself. */
  onOpen?: (event: MouseEvent) => void;
  /**
   * Keep, vary, use and download, with the model's name: on hover, on focus, and after a long
   * press.
   */
  hasToolbar?: boolean;
  /** With acts: opens the inspector beside the list. */
  onInspect?: () => void;
  /** Shows the whole picture instead of filling the tile. */
  contain?: boolean;
};

const icons: Record<Asset["kind"], LucideIcon> = {
  image: Image,
  video: Film,
  audio: AudioLines,
  "3d": Box,
  text: FileText,
  file: File,
};
/** An image, video or audio tile in a gallery. It fills its parent. */
export function AssetTile(props: AssetTileProps) {
  const {
    asset,
    href,
    isSelected = false,
    isSelecting = false,
    isFlying = false,
    onToggle,
    onSelect,
    focus,
    onOpen,
    hasToolbar = false,
    onInspect,
  } = props;
  const viewer = useViewerAddress();
  const openHere = (event: MouseEvent) => {
    if (onOpen) return onOpen(event);
    if (focus || !isPlainClick(event)) return;
    event.preventDefault();
    viewer.open(asset.id);
  };
  const name = assetName(asset);
  const onDragStart = ({ dataTransfer }: DragEvent) => {
    const url = new URL(fileUrl(asset.id), location.origin).href;
    const fileName = name.replace(/[:/\\]/g, " ").slice(0, 80);
    dataTransfer.setData(assetDragType, JSON.stringify([asset.id]));
    dataTransfer.setData("text/uri-list", url);
    // Chromium saves a tile dragged to the desktop under this name.
    dataTransfer.setData("DownloadURL", `${asset.mime}:${fileName}:${url}?download=1`);
  };
  return (
    <TileBox
      {...{ asset, hasToolbar, isSelecting, isFlying, onInspect, onSelect }}
      className={classes(
        styles.tile,
        isSelected && styles.selected,
        isSelecting && styles.selecting,
        asset.pick === "rejected" && styles.rejected,
      )}
    >
      <a
        {...focus}
        href={href}
        data-asset={asset.id}
        className={styles.open}
        aria-label={isSelected ? t("asset.selected", { name }) : name}
        onClick={openHere}
        onDragStart={onDragStart}
      >
        <Face key={asset.id} {...props} name={name} />
      </a>
      {!isFlying && <Tag asset={asset} />}
      {!isFlying && onToggle && (
        // biome-ignore lint/a11y/useSemanticElements: a button's look and size, a checkbox's meaning
        <button
          type="button"
          role="checkbox"
          aria-checked={isSelected}
          aria-label={t("asset.select", { name })}
          tabIndex={-1}
          className={styles.check}
          onClick={(event) => {
            event.stopPropagation();
            onToggle();
          }}
        >
          <span>
            <Check aria-hidden />
          </span>
        </button>
      )}
    </TileBox>
  );
}

/** The thumbnail over its blurred placeholder; an icon with text if the asset has no picture. */
function Face({
  asset,
  width,
  contain = false,
  isFlying = false,
  name,
}: AssetTileProps & { name: string }) {
  const [state, setState] = useState<"loading" | "loaded" | "failed">("loading");
  const ratio = typeof devicePixelRatio === "number" ? devicePixelRatio : 1;
  const src = thumbnailUrl(asset, width * ratio);
  if (!src || state === "failed") {
    const Icon = icons[asset.kind];
    return (
      <span className={styles.plain} data-tagged={hasTag(asset) || undefined}>
        <Icon aria-hidden />
        <span className={styles.plainText}>{name}</span>
      </span>
    );
  }
  const color = asset.thumbhash ? averageColor(asset.thumbhash) : null;
  if (isFlying && state === "loading")
    return color && <span className={styles.hash} style={{ background: color }} />;
  return (
    <>
      {asset.thumbhash && state === "loading" && (
        <ThumbhashCanvas thumbhash={asset.thumbhash} className={styles.hash} />
      )}
      <img
        src={src}
        alt=""
        decoding="async"
        draggable={false}
        className={classes(
          styles.picture,
          state === "loaded" && styles.loaded,
          contain && styles.contain,
        )}
        onLoad={() => setState("loaded")}
        onError={() => setState("failed")}
      />
    </>
  );
}

const hasTag = ({ kind }: Asset): boolean => kind === "video" || kind === "audio";

function Tag({ asset }: { asset: Asset }) {
  const { kind, durationMs } = asset;
  if (!hasTag(asset)) return null;
  const Icon = kind === "video" ? Play : AudioLines;
  return (
    <span className={styles.tag}>
      <Icon aria-hidden />
      {durationMs === null ? t(kindNames[kind]) : formatClip(durationMs)}
    </span>
  );
}
