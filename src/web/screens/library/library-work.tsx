import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import {
  BookmarkCheck,
  FolderOpen,
  FolderX,
  Images,
  type LucideIcon,
  SearchX,
  Trash2,
  Upload,
} from "lucide-react";
import type { Ref } from "react";
import { limits } from "#contract/limits.ts";
import type { Selection } from "../../components/grid/selection.ts";
import { isProblem } from "../../data/client.ts";
import { collectionQuery } from "../../data/queries/library/collections.queries.ts";
import type { AssetFilter } from "../../data/queries/library.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { t } from "../../messages/t.ts";
import { classes } from "../../ui/classes.ts";
import { Button, buttonClass } from "../../ui/controls/button.tsx";
import { EmptyState } from "../../ui/display/empty-state.tsx";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { Skeleton } from "../../ui/display/skeleton.tsx";
import { type FilterChange, isNarrowed, type View } from "./filter.ts";
import { describeFilter } from "./filters/filter-text.ts";
import { useFilterNames } from "./filters/use-filter-names.ts";
import { Gallery, type GalleryHandle } from "./gallery/gallery.tsx";
import type { Gallery as GalleryFacts } from "./gallery/use-gallery.ts";
import type { Select } from "./gallery/use-gallery-selection.ts";
import styles from "./library.module.css";

type LibraryWorkProps = {
  gallery: GalleryFacts;
  filter: AssetFilter;
  view: View;
  set: (change: FilterChange) => void;
  openId: string | undefined;
  onOpen: (index: number, by: "click" | "focus") => void;
  tileHeight: number;
  selection: Selection;
  onSelect: Select;
  onRangeChange: (first: number, last: number) => void;
  /**
   * Moves items after another one in a collection's order, or to its beginning; left out without a
   * manual order.
   */
  onMoveTo?: ((ids: readonly string[], after: string | null) => void) | undefined;
  /** Left out for viewers, who can't upload. */
  onFiles?: (files: File[]) => void;
  ref?: Ref<GalleryHandle>;
};

/** The gallery, or its loading, error and empty states. */
export function LibraryWork({ gallery, filter, view, set, onFiles, ...rest }: LibraryWorkProps) {
  const { layout, error, retry, isTurning, pages } = gallery;
  if (error) return <ErrorState error={error} onRetry={retry} />;
  if (!layout) return <GallerySkeleton />;
  if (layout.count === 0)
    return isTurning ? (
      <GallerySkeleton />
    ) : (
      <NothingHere filter={filter} view={view} set={set} onFiles={onFiles} />
    );
  return (
    <div
      className={classes(styles.work, isTurning && styles.turning)}
      aria-busy={isTurning || undefined}
    >
      <Gallery gallery={gallery} filter={filter} layout={layout} {...rest} />
      {pages.error && (
        <div className={styles.notice}>
          <ErrorState
            compact
            error={pages.error}
            safe={t("library.page.failed")}
            onRetry={pages.retry}
          />
        </div>
      )}
    </div>
  );
}

const icons: Record<View, LucideIcon> = {
  all: Images,
  kept: BookmarkCheck,
  uploads: Upload,
  trash: Trash2,
};

function NothingMatches({ filter, view, set }: Pick<LibraryWorkProps, "filter" | "view" | "set">) {
  const navigate = useNavigate();
  const names = useFilterNames(filter);
  const gone = describeFilter(filter, view, names).find((chip) => chip.gone);
  const isLike = filter.similarTo !== undefined;
  const clear = () => void navigate({ to: "/library", search: view === "all" ? {} : { view } });
  return (
    <EmptyState
      icon={SearchX}
      title={t(isLike && !gone ? "library.empty.similar" : "library.empty.filter")}
      action={
        <>
          {gone && <Button onClick={() => set(gone.without)}>{t("library.gone.remove")}</Button>}
          <Button onClick={clear}>{t("library.empty.filter.clear")}</Button>
        </>
      }
    >
      {gone?.gone ?? t(isLike ? "library.empty.similar.text" : "library.empty.filter.text")}
    </EmptyState>
  );
}

function NothingHere({
  filter,
  view,
  set,
  onFiles,
}: Pick<LibraryWorkProps, "filter" | "view" | "set" | "onFiles">) {
  if (isNarrowed(filter, view)) return <NothingMatches filter={filter} view={view} set={set} />;
  if (filter.collectionId) return <NothingInCollection collectionId={filter.collectionId} />;
  const upload = onFiles && (
    <Button
      icon={Upload}
      onClick={() => document.querySelector<HTMLInputElement>("#library-upload")?.click()}
    >
      {t("library.empty.all.upload")}
    </Button>
  );
  const everything = <ToEverything />;
  const make = onFiles && (
    <Link to="/create" className={buttonClass({ variant: "primary" })}>
      {t("library.empty.all.make")}
    </Link>
  );
  const actions: Record<View, React.ReactNode> = {
    all: (
      <>
        {make}
        {upload}
      </>
    ),
    kept: everything,
    uploads: upload,
    trash: everything,
  };
  const days = limits.trashMs / (24 * 60 * 60_000);
  return (
    <EmptyState icon={icons[view]} title={t(`library.empty.${view}`)} action={actions[view]}>
      {t(`library.empty.${view}.text`, { days })}
    </EmptyState>
  );
}

const shapes = [
  [1.4, 1.6, 1, 0.7, 0.7],
  [0.9, 1.7, 1.2, 1.6],
  [0.7, 1.4, 0.7, 1.3, 1.4],
  [1.6, 1.4, 1.1, 0.7, 0.9],
];

function GallerySkeleton() {
  return (
    <div className={styles.skeleton} role="status" aria-busy="true" aria-label={t("ui.loading")}>
      <Skeleton width={90} height={20} className={styles.skeletonDay} />
      {shapes.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: shapes to come have no identity
        <div key={index} className={styles.skeletonRow}>
          {row.map((ratio, tile) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            <div key={tile} style={{ flex: ratio }}>
              <Skeleton height="100%" radius={5} />
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}

function NothingInCollection({ collectionId }: { collectionId: string }) {
  const { project } = useSession();
  const { error } = useQuery(collectionQuery(project.id, collectionId));
  if (isProblem(error, "not_found"))
    return (
      <EmptyState icon={FolderX} title={t("library.collection.noLonger")} action={<ToEverything />}>
        {t("library.collection.noLonger.text")}
      </EmptyState>
    );
  return (
    <EmptyState icon={FolderOpen} title={t("library.collection.empty")}>
      {t("library.collection.empty.text")}
    </EmptyState>
  );
}

/** A link to the current project's whole library. */
export function ToEverything() {
  return (
    <Link to="/library" className={buttonClass()}>
      {t("library.empty.everything")}
    </Link>
  );
}
