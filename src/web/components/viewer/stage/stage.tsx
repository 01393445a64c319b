import { useGesture } from "@use-gesture/react";
import { ChevronLeft, ChevronRight, Maximize, Minus, Plus } from "lucide-react";
import {
  type ReactNode,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
} from "react";
import type { Asset } from "#contract/entities.ts";
import { formatShare } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { classes } from "../../../ui/classes.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { AssetView } from "../kinds/asset-view.tsx";
import type { ModelHandle } from "../kinds/model-view.tsx";
import { Picture } from "./picture.tsx";
import styles from "./stage.module.css";
import { useZoom } from "./use-zoom.ts";

/** Change of the scale's natural logarithm per pixel of the wheel. */
const wheelFactor = 0.0018;
/** Swipe thresholds: a share of the stage's width, or a speed in px per ms at the end. */
const swipeShare = 0.22;
const swipeSpeed = 0.45;
const slideMs = 180;
/** Pixels of a pan that rotate a model by one radian. */
const pxARadian = 300;

export type StageHandle = {
  /** False if the picture already fits. */
  fit: () => boolean;
  zoomBy: (factor: number) => void;
  pan: (x: number, y: number) => void;
};

type StageProps = {
  /** Includes the neighbors, so that they are rendered before an arrow key shows them. */
  slides: readonly { asset: Asset; place: -1 | 0 | 1 }[];
  hasBefore: boolean;
  hasAfter: boolean;
  onFlip: (by: -1 | 1) => void;
  /** Hides the buttons, in full screen. */
  isBare: boolean;
  handle: RefObject<StageHandle | null>;
  /** Shown instead of the slides: loading, deleted. */
  children?: ReactNode;
};

/**
 * The shown asset between its neighbors. Wheel, pinch, double click and drag zoom and move; a swipe
 * shows the next.
 */
export function Stage({
  slides,
  hasBefore,
  hasAfter,
  onFlip,
  isBare,
  handle,
  children,
}: StageProps) {
  const frame = useRef<HTMLDivElement>(null);
  const shown = slides.find(({ place }) => place === 0)?.asset;
  const isPicture = shown?.kind === "image";
  const zoom = useZoom(frame, isPicture ? shown : undefined);
  const swipe = useSwipe(frame, { hasBefore, hasAfter, onFlip });
  const model = useRef<ModelHandle>(null);
  useImperativeHandle(handle, () => ({
    fit: () => {
      if (model.current) return model.current.reset();
      const wasZoomed = !zoom.isWhole;
      zoom.fit();
      return wasZoomed;
    },
    zoomBy: (factor) => (model.current ? model.current.zoomBy(factor) : zoom.about(factor)),
    pan: (x, y) =>
      model.current ? model.current.turn(x / pxARadian, -y / pxARadian) : zoom.pan(x, y),
  }));

  useGesture(
    {
      onDrag: ({ event, delta: [x, y], movement: [far], velocity: [speed], ...drag }) => {
        if (drag.pinching || hasOwnDrag(event.target)) return drag.cancel();
        if (!zoom.isWhole) return zoom.pan(x, y);
        if (isTouch(event)) swipe.drag(far, drag.last, speed);
      },
      onPinch: ({ offset: [scale], lastOffset: [before], origin: [x, y], memo = before }) => {
        swipe.rest();
        zoom.about(scale / memo, zoom.pointIn({ clientX: x, clientY: y }));
        return scale;
      },
      onWheel: ({ event, delta: [, y] }) => {
        if (!isPicture) return;
        // Otherwise the page scrolls.
        event.preventDefault();
        // With Ctrl the event is a trackpad pinch.
        if (!event.ctrlKey) zoom.about(Math.exp(-y * wheelFactor), zoom.pointIn(event));
      },
    },
    {
      target: frame,
      eventOptions: { passive: false },
      drag: { pointer: { keys: false }, axis: zoom.isWhole ? "x" : undefined },
    },
  );
  return (
    <div className={styles.stage}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys of the viewer zoom, too */}
      <div
        ref={frame}
        data-kind={shown?.kind}
        className={classes(styles.frame, isPicture && !zoom.isWhole && styles.moving)}
        onDoubleClick={(event) => isPicture && zoom.toggle(zoom.pointIn(event))}
      >
        {slides.map(({ asset, place }) => (
          <div
            key={asset.id}
            className={classes(styles.slide, swipe.isSliding && styles.sliding)}
            style={{
              transform: `translateX(calc(${place * 100}% + ${swipe.offset}px))`,
              // Rendered so that the browser decodes it, but invisible and unreachable.
              visibility: place === 0 || swipe.offset !== 0 ? undefined : "hidden",
            }}
            inert={place !== 0}
          >
            {asset.kind === "image" ? (
              <Picture asset={asset} zoom={zoom} isShown={place === 0} />
            ) : (
              place === 0 && <AssetView asset={asset} model={model} />
            )}
          </div>
        ))}
        {children}
      </div>
      {!isBare && (
        <>
          <span className={styles.before}>
            <IconButton
              icon={ChevronLeft}
              label={t("viewer.previous")}
              shortcut="left"
              disabled={!hasBefore}
              onClick={() => onFlip(-1)}
            />
          </span>
          <span className={styles.after}>
            <IconButton
              icon={ChevronRight}
              label={t("viewer.next")}
              shortcut="right"
              disabled={!hasAfter}
              onClick={() => onFlip(1)}
            />
          </span>
          {isPicture && <ZoomControls zoom={zoom} />}
        </>
      )}
    </div>
  );
}

function ZoomControls({ zoom }: { zoom: ReturnType<typeof useZoom> }) {
  return (
    <div className={classes(styles.zoom, zoom.isWhole && styles.whole)}>
      <IconButton
        size="small"
        icon={Minus}
        label={t("viewer.zoomOut")}
        shortcut="-"
        disabled={zoom.isWhole}
        onClick={() => zoom.about(1 / zoom.step)}
      />
      <button
        type="button"
        className={styles.percent}
        data-tooltip={t("viewer.zoomOwn")}
        onClick={() => zoom.toOwnSize()}
      >
        {formatShare(zoom.scale)}
      </button>
      <IconButton
        size="small"
        icon={Plus}
        label={t("viewer.zoomIn")}
        shortcut="+"
        onClick={() => zoom.about(zoom.step)}
      />
      <IconButton
        size="small"
        icon={Maximize}
        label={t("viewer.zoomFit")}
        shortcut="0"
        disabled={zoom.isWhole}
        onClick={zoom.fit}
      />
    </div>
  );
}

const isTouch = (event: Event): boolean =>
  "pointerType" in event ? event.pointerType === "touch" : event.type.startsWith("touch");
/** Sliders, buttons and rotatable models handle their own drags. */
const hasOwnDrag = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("input,button,a,[data-own-drag]") !== null;

type SwipeProps = Pick<StageProps, "hasBefore" | "hasAfter" | "onFlip">;

/** Slides follow the finger; beyond a distance or a speed, the next one slides in. */
function useSwipe(
  frame: RefObject<HTMLElement | null>,
  { hasBefore, hasAfter, onFlip }: SwipeProps,
) {
  const [offset, setOffset] = useState(0);
  const [isSliding, setSliding] = useState(false);
  const timer = useRef<number | undefined>(undefined);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  const slide = (to: number, after?: () => void) => {
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    setSliding(!isStill);
    setOffset(isStill ? 0 : to);
    const end = () => {
      setSliding(false);
      setOffset(0);
      after?.();
    };
    if (isStill) end();
    else timer.current = window.setTimeout(end, slideMs);
  };
  return {
    offset,
    isSliding,
    rest: () => setOffset(0),
    drag: (far: number, isLast: boolean, speed: number) => {
      if (isSliding) return;
      const isEnd = far > 0 ? !hasBefore : !hasAfter;
      if (!isLast) return setOffset(isEnd ? far / 4 : far);
      const width = frame.current?.clientWidth ?? 0;
      const isFar =
        Math.abs(far) > width * swipeShare || (speed > swipeSpeed && Math.abs(far) > 20);
      if (isEnd || !isFar) return slide(0);
      const by = far > 0 ? -1 : 1;
      slide(-by * width, () => onFlip(by));
    },
  };
}
