import {
  type DragEvent,
  type MouseEvent,
  type Ref,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import {
  JustifiedGrid,
  type JustifiedGridHandle,
} from "../../../components/grid/justified-grid.tsx";
import {
  isSelected as hasSelected,
  nothingSelected,
  type Selection,
  toggleSelected,
} from "../../../components/grid/selection.ts";
import type { AssetFilter, Layout } from "../../../data/queries/library.queries.ts";
import { formatCount, formatDay } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { useNow } from "../../../ui/display/time.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { useWidth } from "../../../ui/use-width.ts";
import { DateScrubber } from "./date-scrubber.tsx";
import { cutDays, type Day, startsOf } from "./days.ts";
import { carryAssets } from "./drag-out.ts";
import { createFirstVisible } from "./first-visible.ts";
import styles from "./gallery.module.css";
import { GalleryTile } from "./gallery-tile.tsx";
import { GroupHeading, LoadedContext } from "./group-heading.tsx";
import type { Gallery as GalleryFacts } from "./use-gallery.ts";
import { type Select, useGallerySelection } from "./use-gallery-selection.ts";
import { indexOfTile, useOrderDrop } from "./use-order-drop.ts";

export type GalleryHandle = {
  scrollToIndex: (index: number) => void;
  /** Scrolls to an item that is out of view, and focuses it. */
  reveal: (index: number) => void;
};

type GalleryProps = {
  gallery: GalleryFacts;
  filter: Pick<AssetFilter, "group">;
  layout: Layout;
  /** The item in the inspector, marked like a selected one. */
  openId: string | undefined;
  /** Called on a click, on Enter, or on an arrow key while an item is open. */
  onOpen: (index: number, by: "click" | "focus") => void;
  tileHeight: number;
  selection: Selection;
  onSelect: Select;
  onRangeChange: (first: number, last: number) => void;
  /**
   * Moves items after another one, or to the beginning (null); given if the gallery's order is
   * manual.
   */
  onMoveTo?: ((ids: readonly string[], after: string | null) => void) | undefined;
  ref?: Ref<GalleryHandle>;
};

/** A row's height in px on a wide screen; a phone uses three quarters of it. */
export const tileHeights = { min: 76, max: 400, step: 4 };
export const usualTileHeight = 148;
const phoneShare = 0.76;

/** All matching items by day, newest first, with a date scrubber at the right. */
export function Gallery({
  gallery,
  filter,
  layout,
  openId,
  onOpen,
  tileHeight,
  selection,
  onSelect,
  onRangeChange,
  onMoveTo,
  ref,
}: GalleryProps) {
  const { at } = gallery;
  const toast = useToast();
  const grid = useRef<JustifiedGridHandle>(null);
  const width = useWidth();
  const [place] = useState(createFirstVisible);
  const drawnFilter = useRef(gallery.filter);
  useLayoutEffect(() => {
    if (drawnFilter.current === gallery.filter) return;
    drawnFilter.current = gallery.filter;
    grid.current?.startOver();
  }, [gallery.filter]);
  const days = useMemo(() => cutDays(layout.times), [layout]);
  const isByModel = filter.group === "model";
  const groups = useMemo(() => startsOf(days.length > 0 ? days : layout.groups), [days, layout]);
  const renderHeading = (group: number) => {
    const day = days[group];
    if (day) return <DayHeading day={day} />;
    const facts = layout.groups[group];
    return facts && <GroupHeading {...facts} start={groups[group] ?? 0} isByModel={isByModel} />;
  };
  const ratioAt = useCallback((index: number) => (layout.ratios[index] ?? 1_000) / 1_000, [layout]);
  const keyAt = useCallback((index: number) => at(index)?.id, [at]);
  const openIndex = useRef<number | null>(null);
  const { change, selectTo, selectRange } = useGallerySelection({
    gallery,
    openId,
    openIndex,
    selection,
    onSelect,
  });
  useImperativeHandle(ref, () => ({
    scrollToIndex: (index) => grid.current?.scrollToIndex(index),
    reveal: (index) => grid.current?.reveal(index),
  }));

  const toggle = useLatest((index: number) => {
    const key = keyAt(index);
    if (key !== undefined) change(toggleSelected(selection, index, key));
  });
  const open = (index: number, by: "click" | "focus") => {
    openIndex.current = index;
    onOpen(index, by);
  };
  const inspect = useLatest((index: number) => open(index, "focus"));
  const onClickCapture = (event: MouseEvent) => {
    const index = indexOfTile(event.target);
    // A range may include items that were never visible, so they are loaded first.
    if (!event.shiftKey || index === null) return;
    event.preventDefault();
    event.stopPropagation();
    selectTo(index);
  };
  const onDragStart = (event: DragEvent) => {
    const index = indexOfTile(event.target);
    const dragged = index === null ? undefined : at(index);
    if (!dragged || !hasSelected(selection, dragged.id)) return;
    if (selection.isAll) {
      // A drag carries the ids, and not all of them are loaded.
      event.preventDefault();
      toast({ text: t("selection.dragMost"), detail: t("selection.dragMost.detail") });
    } else if (selection.keys.size > 1)
      carryAssets(event.dataTransfer, dragged.projectId, [...selection.keys]);
  };

  const drop = useOrderDrop(at, onMoveTo);
  // `at` reads the loaded pages, which `pages` identifies.
  const { pages } = gallery;
  const loaded = useMemo(() => ({ at, pages }), [at, pages]);
  const gridSelection = selection.keys.size > 0 ? selection : nothingSelected;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is pressed are the tiles within
    <div
      {...drop.handlers}
      className={styles.gallery}
      onClickCapture={onClickCapture}
      onDragStart={onDragStart}
      onFocus={(event) => {
        const index = indexOfTile(event.target);
        if (
          index !== null &&
          openId !== undefined &&
          selection.keys.size === 0 &&
          event.target.matches(":focus-visible")
        )
          open(index, "focus");
      }}
    >
      <LoadedContext value={loaded}>
        <JustifiedGrid
          ref={grid}
          label={t("library.gallery", { count: layout.count })}
          count={layout.count}
          ratioAt={ratioAt}
          keyAt={keyAt}
          groups={groups}
          renderHeading={renderHeading}
          targetHeight={width === "phone" ? Math.round(tileHeight * phoneShare) : tileHeight}
          selection={gridSelection}
          onSelectionChange={change}
          onSelectUnloaded={selectRange}
          onOpen={(index) => open(index, "click")}
          onRangeChange={(from, to) => {
            place.set(from);
            onRangeChange(from, to);
          }}
          className={styles.grid}
          renderTile={({ index, width: tileWidth, isSelected, isSelecting, isFlying, focus }) => {
            const asset = at(index);
            const isOpen = asset !== undefined && asset.id === openId;
            return (
              <GalleryTile
                asset={asset}
                index={index}
                width={tileWidth}
                isSelected={isSelected || isOpen}
                isSelecting={isSelecting}
                isFlying={isFlying}
                isFocusable={focus.tabIndex === 0}
                onToggle={toggle}
                onInspect={inspect}
              />
            );
          }}
        />
      </LoadedContext>
      {drop.mark && <span className={styles.dropMark} style={drop.mark} aria-hidden />}
      <DateScrubber
        days={days}
        count={layout.count}
        place={place}
        onJump={(index) => grid.current?.scrollToIndex(index)}
      />
    </div>
  );
}

function DayHeading({ day }: { day: Day }) {
  const now = useNow();
  return (
    <h2 className={styles.day}>
      {formatDay(day.at, now)}
      <small>{formatCount(day.count)}</small>
    </h2>
  );
}

/** A stable function that calls the latest one, so that tiles needn't rerender. */
function useLatest<Given>(act: (given: Given) => void): (given: Given) => void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  return useCallback((given: Given) => latest.current(given), []);
}
