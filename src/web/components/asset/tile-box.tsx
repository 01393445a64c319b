import { Bookmark, ThumbsDown } from "lucide-react";
import {
  type FocusEvent,
  type PointerEvent,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from "react";
import type { Asset } from "#contract/entities.ts";
import { popupOf } from "../../frame/active-element.ts";
import { lazyPart } from "../../ui/lazy-part.ts";
import { useWasOpen } from "../../ui/overlays/dialog.tsx";
import { OptionalPart, PopupPart } from "../../ui/part.tsx";
import { viewerAreas } from "../viewer/viewer-areas.ts";
import styles from "./tile.module.css";
import { useLongPress } from "./use-long-press.ts";

const loadTileToolbar = () => import("./tile-toolbar.tsx");
const TileToolbar = lazyPart(
  () => loadTileToolbar().then(({ TileToolbar }) => TileToolbar),
  ...viewerAreas,
);
const TileSheet = lazyPart(
  () => loadTileToolbar().then(({ TileSheet }) => TileSheet),
  ...viewerAreas,
);

type TileBoxProps = {
  asset: Asset;
  className: string;
  hasToolbar?: boolean;
  isSelecting?: boolean;
  isFlying?: boolean;
  onInspect?: (() => void) | undefined;
  onSelect?: (() => void) | undefined;
  children: ReactNode;
};

/** A tile's box with its mark, and with its acts on hover, on focus and after a long press. */
export function TileBox({
  asset,
  className,
  hasToolbar = true,
  isSelecting = false,
  isFlying = false,
  onInspect,
  onSelect,
  children,
}: TileBoxProps) {
  const acts = useShownToolbar();
  const press = useLongPress(isSelecting && onSelect ? onSelect : acts.hold);
  return (
    <div data-row {...(hasToolbar && { ...acts.handlers, ...press })} className={className}>
      {children}
      {!isFlying && asset.pick !== "none" && (
        <span className={styles.pick}>
          {asset.pick === "kept" ? (
            <Bookmark aria-hidden fill="currentColor" />
          ) : (
            <ThumbsDown aria-hidden />
          )}
        </span>
      )}
      {hasToolbar && acts.isShown && !isFlying && !isSelecting && (
        <OptionalPart>
          <TileToolbar asset={asset} onInspect={onInspect} />
        </OptionalPart>
      )}
      {hasToolbar && acts.wasHeld && (
        <PopupPart open={acts.isHeld} onClose={acts.letGo}>
          <TileSheet
            asset={asset}
            onInspect={onInspect}
            onSelect={onSelect}
            open={acts.isHeld}
            onOpenChange={(open) => open || acts.letGo()}
          />
        </PopupPart>
      )}
    </div>
  );
}

/** A mouse that only passes over a tile loads nothing. */
const toolbarDelayMs = 140;

/** Whether a tile shows its acts: on hover, on focus, or after a long press. */
function useShownToolbar() {
  const [isHovered, setHovered] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const [isHeld, setHeld] = useState(false);
  const timer = useRef<number | undefined>(undefined);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  const wasHeld = useWasOpen(isHeld);
  return {
    isShown: isHovered || isFocused,
    isHeld,
    wasHeld,
    hold: () => setHeld(true),
    letGo: () => setHeld(false),
    handlers: {
      onPointerEnter: ({ pointerType }: PointerEvent) => {
        if (pointerType === "mouse")
          timer.current = window.setTimeout(() => setHovered(true), toolbarDelayMs);
      },
      onPointerLeave: () => {
        window.clearTimeout(timer.current);
        setHovered(false);
      },
      onFocus: ({ target }: FocusEvent) => {
        if (target.matches(":focus-visible")) setFocused(true);
      },
      // The palette acts on the previously focused element and returns the focus to it.
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
        if (popupOf(relatedTarget)) return;
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget)))
          setFocused(false);
      },
    },
  };
}
