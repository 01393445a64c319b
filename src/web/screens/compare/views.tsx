import { ChevronLeft, ChevronRight } from "lucide-react";
import { type CSSProperties, type PointerEvent, useMemo, useState } from "react";
import type { Asset } from "#contract/entities.ts";
import { assetName } from "../../components/asset/asset-name.ts";
import { fileUrl, pictureUrl, thumbnailUrl } from "../../components/asset/asset-urls.ts";
import { AssetLink } from "../../components/asset/inspector/asset-link.tsx";
import type { ComparedEntry } from "../../components/compare/compare.queries.ts";
import { listOfAssets, useViewerList } from "../../components/viewer/viewer-lists.tsx";
import { useCommands } from "../../frame/commands.tsx";
import { t } from "../../messages/t.ts";
import { classes } from "../../ui/classes.ts";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { SkeletonText } from "../../ui/display/skeleton.tsx";
import { lazyPart } from "../../ui/lazy-part.ts";
import { Part } from "../../ui/part.tsx";
import styles from "./compare.module.css";
import { Result } from "./result.tsx";
import { SyncedVideos } from "./synced-videos.tsx";

/** Few comparisons contain answers, and Markdown's code is a seventh of a page's. */
const Texts = lazyPart(() => import("./texts.tsx").then(({ Texts }) => Texts));

export type View = "side" | "slider" | "flip";

type ViewsProps = {
  view: View;
  /** In display order. */
  entries: readonly ComparedEntry[];
  /** Positions of the best results. */
  best: readonly number[];
  isRevealed: boolean;
  isZoomed: boolean;
  /** Null for people who may not vote, and once the vote is final. */
  onBest: ((place: number) => void) | null;
};

/** A place in a picture, from 0 to 1 of its width and height. */
type Place = { x: number; y: number };
const middle: Place = { x: 0.5, y: 0.5 };

/** The width by the height; pictures of an unknown size count as square. */
const ratioOf = (asset: Asset | null | undefined): number =>
  asset?.width && asset.height ? asset.width / asset.height : 1;

const within = (value: number): number => Math.min(1, Math.max(0, value));

/** The place under the pointer in a picture that is fitted into the area. */
function placeUnder(event: PointerEvent<HTMLElement>, ratio: number): Place {
  const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
  const wide = Math.min(width, height * ratio);
  return {
    x: within(0.5 + (event.clientX - left - width / 2) / wide),
    y: within(0.5 + (event.clientY - top - height / 2) / (wide / ratio)),
  };
}

/**
 * The results in the chosen view. Pictures zoom together, videos play in sync, texts show their
 * differences.
 */
export function Views(props: ViewsProps) {
  const { view, entries, isRevealed, isZoomed } = props;
  const [place, setPlace] = useState(middle);
  const assetIds = entries.map(({ asset }) => asset?.id).join();
  useViewerList(
    // The viewer names the models.
    useMemo(
      () => (isRevealed ? listOfAssets(entries.flatMap(({ asset }) => asset ?? [])) : null),
      [isRevealed, assetIds],
    ),
  );
  const zoom: Zoom = {
    place: isZoomed ? place : null,
    areaOf: (asset) => {
      if (!isZoomed) return {};
      const follow = (event: PointerEvent<HTMLElement>) =>
        setPlace(placeUnder(event, ratioOf(asset)));
      return { onPointerMove: follow, onPointerDown: follow, "data-zoomed": "" };
    },
  };
  if (entries.some(({ text }) => text !== null) && entries.every(({ asset }) => asset === null))
    return (
      <Part fallback={<SkeletonText lines={8} />}>
        <Texts {...props} />
      </Part>
    );
  if (entries.some(({ asset }) => asset?.kind === "video")) return <SyncedVideos {...props} />;
  if (view === "slider" && entries.length > 1) return <Slider {...props} zoom={zoom} />;
  if (view === "flip") return <Flip {...props} zoom={zoom} />;
  return (
    <ul className={styles.grid} data-count={entries.length}>
      {entries.map((entry, number) => (
        <Result key={entry.position} {...props} entry={entry} place={number}>
          {entry.asset?.kind === "image" ? (
            <span className={styles.frame} {...zoom.areaOf(entry.asset)}>
              <Picture entry={entry} zoom={zoom} opens={isRevealed} />
            </span>
          ) : undefined}
        </Result>
      ))}
    </ul>
  );
}

type Zoom = {
  /** The place that all pictures keep while they are enlarged; null without zoom. */
  place: Place | null;
  /** The properties of an area that shows this picture. */
  areaOf: (asset: Asset | null | undefined) => {
    onPointerMove?: (event: PointerEvent<HTMLElement>) => void;
    onPointerDown?: (event: PointerEvent<HTMLElement>) => void;
    "data-zoomed"?: "";
  };
};

type PictureProps = {
  entry: ComparedEntry;
  zoom: Zoom;
  /** A click that neither zooms nor slides opens the viewer. */
  opens?: boolean;
};

/** The alternative text is the prompt, which isn't secret. */
function Picture({ entry: { asset }, zoom: { place }, opens = false }: PictureProps) {
  if (!asset) return null;
  const large = thumbnailUrl(asset, 1_600);
  const picture = (
    <img
      className={classes(styles.picture, place && styles.enlarged)}
      src={place ? pictureUrl(asset) : (large ?? fileUrl(asset.id))}
      alt={assetName(asset)}
      // The size is known before the file loads, so a phone reserves the right height.
      width={asset.width ?? undefined}
      height={asset.height ?? undefined}
      style={
        place
          ? ({ "--ratio": ratioOf(asset), "--x": place.x, "--y": place.y } as CSSProperties)
          : undefined
      }
      draggable={false}
    />
  );
  if (!opens || place) return picture;
  return (
    <AssetLink assetId={asset.id} tabIndex={-1} className={styles.opens}>
      {picture}
    </AssetLink>
  );
}

/** Two overlaid pictures with a divider. */
function Slider({ entries, zoom, ...props }: ViewsProps & { zoom: Zoom }) {
  const [pair, setPair] = useState<[number, number]>([0, 1]);
  const [share, setShare] = useState(50);
  const [left, right] = pair.map((place) => entries[place]);
  if (!left || !right) return null;
  const sides = [
    {
      label: t("compare.slider.left"),
      value: pair[0],
      set: (to: number) => setPair([to, pair[1]]),
    },
    {
      label: t("compare.slider.right"),
      value: pair[1],
      set: (to: number) => setPair([pair[0], to]),
    },
  ];
  const slide = (event: PointerEvent<HTMLElement>) => {
    const { left: edge, width } = event.currentTarget.getBoundingClientRect();
    setShare(Math.round(within((event.clientX - edge) / width) * 100));
  };
  // The pointer moves the zoomed pictures, otherwise the divider.
  const area = zoom.place
    ? zoom.areaOf(right.asset)
    : {
        "data-slides": "",
        onPointerDown: (event: PointerEvent<HTMLElement>) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          slide(event);
        },
        onPointerMove: (event: PointerEvent<HTMLElement>) => {
          if (event.currentTarget.hasPointerCapture(event.pointerId)) slide(event);
        },
      };
  return (
    <div className={styles.single}>
      <div className={styles.over} {...area}>
        {/* Each is cut off, because a picture of another shape would be seen behind the other. */}
        <span className={styles.above} style={{ clipPath: `inset(0 0 0 ${share}%)` }}>
          <Picture entry={right} zoom={zoom} />
        </span>
        <span className={styles.above} style={{ clipPath: `inset(0 ${100 - share}% 0 0)` }}>
          <Picture entry={left} zoom={zoom} />
        </span>
        <span className={styles.divider} style={{ left: `${share}%` }} aria-hidden />
      </div>
      <input
        type="range"
        className={styles.range}
        min={0}
        max={100}
        value={share}
        aria-label={t("compare.slider", { first: pair[0] + 1, second: pair[1] + 1 })}
        onChange={(event) => setShare(Number(event.target.value))}
      />
      <div className={styles.pairs}>
        {sides.map(({ label, value, set }) => (
          <label key={label}>
            {label}
            <select value={value} onChange={(event) => set(Number(event.target.value))}>
              {entries.map(({ position }, index) => (
                <option key={position} value={index}>
                  {t("compare.number", { number: index + 1 })}
                </option>
              ))}
            </select>
          </label>
        ))}
      </div>
      <ul className={styles.strip}>
        {pair.map((place) => {
          const entry = entries[place];
          return entry && <Result key={entry.position} {...props} entry={entry} place={place} />;
        })}
      </ul>
    </div>
  );
}

/** One picture at a time, in the same place. */
function Flip({ entries, zoom, ...props }: ViewsProps & { zoom: Zoom }) {
  const [place, setPlace] = useState(0);
  const step = (by: number) => setPlace((place + by + entries.length) % entries.length);
  useCommands([
    {
      id: "compare.flip.back",
      title: t("compare.previous"),
      group: t("screen.compare"),
      shortcut: "left",
      repeats: true,
      run: () => step(-1),
    },
    {
      id: "compare.flip.on",
      title: t("compare.following"),
      group: t("screen.compare"),
      shortcut: "right",
      repeats: true,
      run: () => step(1),
    },
  ]);
  const entry = entries[place];
  if (!entry) return null;
  return (
    <div className={styles.single}>
      <div className={styles.over} {...zoom.areaOf(entry.asset)}>
        {/* All pictures are rendered, so that the next one appears immediately. */}
        {entries.map((one, number) => (
          <span key={one.position} hidden={number !== place} className={styles.above}>
            <Picture entry={one} zoom={zoom} opens={props.isRevealed} />
          </span>
        ))}
      </div>
      <div className={styles.flipper}>
        <IconButton icon={ChevronLeft} label={t("compare.previous")} onClick={() => step(-1)} />
        <ul className={styles.strip}>
          <Result {...props} entry={entry} place={place} />
        </ul>
        <IconButton icon={ChevronRight} label={t("compare.following")} onClick={() => step(1)} />
      </div>
    </div>
  );
}
