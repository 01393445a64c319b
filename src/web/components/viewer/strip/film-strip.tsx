import {
  AudioLines,
  Bookmark,
  Box,
  File,
  FileText,
  Film,
  ImageOff,
  type LucideIcon,
  ThumbsDown,
} from "lucide-react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { t } from "../../../messages/t.ts";
import { classes } from "../../../ui/classes.ts";
import { assetName } from "../../asset/asset-name.ts";
import { thumbnailUrl } from "../../asset/asset-urls.ts";
import type { ViewerList } from "../viewer-lists.tsx";
import styles from "./film-strip.module.css";
import { windowStrip } from "./strip-window.ts";

const height = 56;
const gap = 6;
const [narrowest, widest] = [0.66, 1.8];

const icons: Partial<Record<Asset["kind"], LucideIcon>> = {
  video: Film,
  audio: AudioLines,
  "3d": Box,
  text: FileText,
  file: File,
};

const marks = { kept: Bookmark, rejected: ThumbsDown, none: undefined };

function ratioOf(list: ViewerList, index: number): number {
  const asset = list.at(index);
  const ratio =
    asset?.width && asset.height ? asset.width / asset.height : (list.ratioAt?.(index) ?? 1);
  return Math.min(widest, Math.max(narrowest, ratio || 1));
}

type FilmStripProps = { list: ViewerList; index: number; onShow: (index: number) => void };

/** The list around the shown item; only visible items are rendered. */
export function FilmStrip({ list, index, onShow }: FilmStripProps) {
  const strip = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = strip.current;
    if (!element) return undefined;
    const measure = () => setWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const { first, last, left } = windowStrip({
    count: list.count,
    index,
    width,
    gap,
    widthAt: (at) => Math.round(ratioOf(list, at) * height),
  });
  const [, redraw] = useState(0);
  const latest = useRef(list);
  useEffect(() => {
    latest.current = list;
  });
  const { count } = list;
  useEffect(() => {
    // Loads each range once. A list that changes with each answer, including errors, would
    // otherwise load forever.
    const loading = count > 0 && last >= first ? latest.current.load?.(first, last) : undefined;
    if (!loading) return undefined;
    let isGone = false;
    void loading.catch(() => undefined).then(() => isGone || redraw((times) => times + 1));
    return () => {
      isGone = true;
    };
  }, [count, first, last]);
  return (
    <section
      ref={strip}
      className={styles.strip}
      aria-label={t("viewer.strip")}
      onWheel={({ deltaX, deltaY }) => {
        const by = Math.sign(deltaX + deltaY);
        if (by !== 0 && list.idAt(index + by) !== undefined) onShow(index + by);
      }}
    >
      <div className={styles.film} style={{ transform: `translateX(${left}px)`, gap }}>
        {Array.from({ length: Math.max(0, last - first + 1) }, (_, place) => first + place).map(
          (at) => (
            <Frame
              key={list.idAt(at) ?? at}
              asset={list.at(at)}
              place={at}
              width={Math.round(ratioOf(list, at) * height)}
              isShown={at === index}
              onShow={() => onShow(at)}
            />
          ),
        )}
      </div>
    </section>
  );
}

/** Reserves the strip's room until the list loads. */
export const StripPlaceholder = () => <div className={styles.strip} />;

type FrameProps = {
  asset: Asset | undefined;
  place: number;
  width: number;
  isShown: boolean;
  onShow: () => void;
};

function Frame({ asset, place, width, isShown, onShow }: FrameProps) {
  const src = asset && thumbnailUrl(asset, width * (globalThis.devicePixelRatio ?? 1));
  const [lost, setLost] = useState<string>();
  const isLost = src !== undefined && src === lost;
  const Icon = asset && (icons[asset.kind] ?? (isLost ? ImageOff : undefined));
  const pick = asset?.pick ?? "none";
  const Mark = marks[pick];
  return (
    <button
      type="button"
      // The arrow keys reach all items.
      tabIndex={-1}
      className={classes(
        styles.frame,
        isShown && styles.shown,
        pick === "rejected" && styles.rejected,
      )}
      style={{ width, height }}
      aria-current={isShown || undefined}
      aria-label={
        asset
          ? t("viewer.strip.item", { place: place + 1, name: assetName(asset), pick })
          : String(place + 1)
      }
      onClick={onShow}
    >
      {src && !isLost && (
        <img src={src} alt="" draggable={false} decoding="async" onError={() => setLost(src)} />
      )}
      {(!src || isLost) && Icon && <Icon aria-hidden />}
      {Mark && (
        <span className={styles.mark}>
          <Mark aria-hidden fill={pick === "kept" ? "currentColor" : "none"} />
        </span>
      )}
    </button>
  );
}
