import { Maximize, Minus, Plus } from "lucide-react";
import {
  type KeyboardEvent,
  type PointerEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import type { Asset } from "#contract/entities.ts";
import { assetName } from "../../../components/asset/asset-name.ts";
import { fileUrl, thumbnailUrl } from "../../../components/asset/asset-urls.ts";
import { formatShare } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { clampZoom, fitScale, type Size, type Zoom, zoomAbout } from "./zoom.ts";
import styles from "./zoom-view.module.css";

const step = 1.4;
const panPx = 60;
const margin = 24;

/** A picture with zoom and pan: wheel, pinch, double click and drag; plus, minus, 0, 1 and, once zoomed, Shift and arrows. */
export function ZoomView({ asset }: { asset: Asset }) {
  const frame = useRef<HTMLDivElement>(null);
  const [own, setOwn] = useState<Size | null>(
    asset.width && asset.height ? { width: asset.width, height: asset.height } : null,
  );
  const [room, setRoom] = useState<Size | null>(null);
  const [zoom, setZoom] = useState<Zoom | null>(null);
  const [isLoaded, setLoaded] = useState(false);
  const pointers = useRef(new Map<number, { x: number; y: number }>());

  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const measure = () =>
      setRoom({
        width: element.clientWidth - 2 * margin,
        height: element.clientHeight - 2 * margin,
      });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const fit = own && room ? { scale: fitScale(own, room), x: 0, y: 0 } : null;
  // Without a choice of the person the picture fits, also after the window changed.
  const shown = zoom && own && room ? clampZoom(zoom, own, room) : fit;
  const isFit = !shown || !fit || shown.scale <= fit.scale * 1.001;
  const about = (factor: number, at = { x: 0, y: 0 }) => {
    if (shown && own && room) setZoom(zoomAbout(shown, factor, at, own, room));
  };
  const pan = (x: number, y: number) => {
    if (shown && own && room)
      setZoom(clampZoom({ ...shown, x: shown.x + x, y: shown.y + y }, own, room));
  };
  const toOwnSize = (at = { x: 0, y: 0 }) => {
    if (shown) about(1 / shown.scale, at);
  };
  const pointIn = ({ clientX, clientY }: { clientX: number; clientY: number }) => {
    const box = frame.current?.getBoundingClientRect();
    return box
      ? { x: clientX - box.left - box.width / 2, y: clientY - box.top - box.height / 2 }
      : { x: 0, y: 0 };
  };

  const onWheel = (event: WheelEvent) => {
    event.preventDefault();
    about(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0018)), pointIn(event));
  };
  useWheel(frame, onWheel);

  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0 || (event.target instanceof Element && event.target.closest("button")))
      return;
    event.currentTarget.setPointerCapture(event.pointerId);
    pointers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
  };
  const onPointerMove = (event: PointerEvent) => {
    const before = pointers.current.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const factor =
        Math.hypot(now.x - other.x, now.y - other.y) /
        Math.max(1, Math.hypot(before.x - other.x, before.y - other.y));
      about(factor, pointIn({ clientX: (now.x + other.x) / 2, clientY: (now.y + other.y) / 2 }));
    } else pan(now.x - before.x, now.y - before.y);
    pointers.current.set(event.pointerId, now);
  };
  const onPointerEnd = (event: PointerEvent) => pointers.current.delete(event.pointerId);
  const onKeyDown = (event: KeyboardEvent) => {
    const acts: Record<string, () => void> = {
      "+": () => about(step),
      "=": () => about(step),
      "-": () => about(1 / step),
      "0": () => setZoom(null),
      "1": () => toOwnSize(),
    };
    const pans: Record<string, [number, number]> = {
      ArrowLeft: [panPx, 0],
      ArrowRight: [-panPx, 0],
      ArrowUp: [0, panPx],
      ArrowDown: [0, -panPx],
    };
    const by = pans[event.key];
    const act = by ? (event.shiftKey ? () => pan(...by) : undefined) : acts[event.key];
    if (!act || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act();
  };
  const size =
    own && shown ? { width: own.width * shown.scale, height: own.height * shown.scale } : undefined;
  const transform = shown
    ? `translate(calc(-50% + ${shown.x}px), calc(-50% + ${shown.y}px))`
    : undefined;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a picture that takes keys is no fieldset
    <div
      ref={frame}
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: its keys zoom
      tabIndex={0}
      aria-label={t("asset.view", { name: assetName(asset) })}
      className={isFit ? styles.frame : `${styles.frame} ${styles.moving}`}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerEnd}
      onPointerCancel={onPointerEnd}
      onDoubleClick={(event) => (isFit ? toOwnSize(pointIn(event)) : setZoom(null))}
    >
      {!isLoaded && own && (
        <img
          src={thumbnailUrl(asset, 640) ?? undefined}
          alt=""
          className={styles.picture}
          style={{ ...size, transform }}
        />
      )}
      <img
        src={fileUrl(asset.id)}
        alt={asset.promptText || assetName(asset)}
        draggable={false}
        className={styles.picture}
        style={{ ...size, transform }}
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
          setLoaded(true);
          setOwn((known) => known ?? { width: naturalWidth, height: naturalHeight });
        }}
      />
      <div className={styles.controls}>
        <IconButton
          icon={Minus}
          label={t("asset.zoomOut")}
          disabled={isFit}
          onClick={() => about(1 / step)}
        />
        <button
          type="button"
          className={styles.percent}
          data-tooltip={t("asset.zoomOwn")}
          onClick={() => toOwnSize()}
        >
          {formatShare(shown?.scale ?? 1)}
        </button>
        <IconButton icon={Plus} label={t("asset.zoomIn")} onClick={() => about(step)} />
        <IconButton
          icon={Maximize}
          label={t("asset.zoomFit")}
          disabled={isFit}
          onClick={() => setZoom(null)}
        />
      </div>
    </div>
  );
}

/** React listens to the wheel passively, and the page would scroll under the picture. */
function useWheel(
  frame: React.RefObject<HTMLElement | null>,
  onWheel: (event: WheelEvent) => void,
): void {
  const latest = useRef(onWheel);
  useEffect(() => {
    latest.current = onWheel;
  });
  useEffect(() => {
    const element = frame.current;
    const listen = (event: WheelEvent) => latest.current(event);
    element?.addEventListener("wheel", listen, { passive: false });
    return () => element?.removeEventListener("wheel", listen);
  }, [frame]);
}
