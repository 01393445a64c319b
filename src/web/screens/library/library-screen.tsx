import { useQuery } from "@tanstack/react-query";
import { CheckSquare, FolderX, Upload } from "lucide-react";
import { useRef, useState } from "react";
import { assetName } from "../../components/asset/asset-name.ts";
import { useAssetActions } from "../../components/asset/inspector/use-asset-actions.ts";
import { UploadList } from "../../components/asset/uploads/upload-list.tsx";
import { useUploads } from "../../components/asset/uploads/use-uploads.ts";
import { useFileDrop } from "../../components/composer/use-file-drop.ts";
import { nothingSelected, type Selection } from "../../components/grid/selection.ts";
import { useViewerAddress } from "../../components/viewer/viewer-address.ts";
import { useViewerList } from "../../components/viewer/viewer-lists.tsx";
import { collectionQuery } from "../../data/queries/library/collections.queries.ts";
import type { ActionTarget } from "../../data/queries/library.queries.ts";
import { useStored } from "../../data/saved/use-stored.ts";
import { useSession } from "../../data/shell-data.ts";
import { useSearchValue } from "../../data/use-search-value.ts";
import { useCommands } from "../../frame/commands.tsx";
import { Screen } from "../../frame/screen.tsx";
import { t } from "../../messages/t.ts";
import { EmptyState } from "../../ui/display/empty-state.tsx";
import { SkeletonText } from "../../ui/display/skeleton.tsx";
import { lazyPart } from "../../ui/lazy-part.ts";
import { Part, PopupPart, usePreload } from "../../ui/part.tsx";
import { useWidth } from "../../ui/use-width.ts";
import { useCollectionOrder } from "./collections/use-collection-order.ts";
import { useSavedSearch } from "./collections/use-saved-search.ts";
import { useLibraryFilter } from "./filter.ts";
import { type GalleryHandle, tileHeights, usualTileHeight } from "./gallery/gallery.tsx";
import type { Question } from "./gallery/selection-dialog.tsx";
import { useGallery } from "./gallery/use-gallery.ts";
import { useGalleryList } from "./gallery/use-gallery-list.ts";
import { useSelectAll } from "./gallery/use-gallery-selection.ts";
import { indexOfTile } from "./gallery/use-order-drop.ts";
import { usePagesInSight } from "./gallery/use-pages-in-sight.ts";
import { useSelection } from "./gallery/use-selection.ts";
import { useSelectionKeys } from "./gallery/use-selection-keys.ts";
import styles from "./library.module.css";
import { LibraryPane } from "./library-pane.tsx";
import { LibraryTools } from "./library-tools.tsx";
import { LibraryWork, ToEverything } from "./library-work.tsx";
import { UploadButton } from "./uploads/upload-button.tsx";
import { usePaste } from "./uploads/use-paste.ts";
import { useLinkedProject } from "./use-linked-project.ts";

const AssetInspector = lazyPart(() =>
  import("../../components/asset/inspector/asset-inspector.tsx").then(
    ({ AssetInspector }) => AssetInspector,
  ),
);

// The selection bar appears with the first selection and loads ahead of it.
const loadBar = () =>
  import("./gallery/selection-bar.tsx").then(({ SelectionBar }) => SelectionBar);
const SelectionBar = lazyPart(loadBar);
const SelectionDialog = lazyPart(() =>
  import("./gallery/selection-dialog.tsx").then(({ SelectionDialog }) => SelectionDialog),
);

/** The library of the project that the address names, or else of the current one. */
export function LibraryScreen() {
  const linked = useLinkedProject();
  if (linked === "opening") return null;
  if (linked === "here") return <Library />;
  return (
    <Screen title={t("screen.library")}>
      <EmptyState icon={FolderX} title={t("library.project.closed")} action={<ToEverything />}>
        {t("library.project.closed.text")}
      </EmptyState>
    </Screen>
  );
}

/** A dialog's question, with what it is about. */
type Asked = { question: Question; target: ActionTarget; count: number; open: boolean };

/** The project's library, and an item's page with its recipe. */
function Library() {
  const { project } = useSession();
  const { filter, view, set } = useLibraryFilter();
  const [inSight, setInSight] = usePagesInSight();
  const gallery = useGallery(project.id, filter, inSight);
  const { selection, state, select, deselect } = useSelection(
    `${project.id} ${JSON.stringify(filter)}`,
  );
  const clearSelection = () => select(nothingSelected);
  const deselectActed = () => deselect(selection);
  const selectAll = useSelectAll(gallery, select);
  const [openId, setOpenId] = useSearchValue("open");
  const tiles = useStored("library-tiles", usualTileHeight);
  const width = useWidth();
  const isPhone = width === "phone";
  const grid = useRef<GalleryHandle>(null);
  const uploads = useUploads(project.id);
  const canEdit = project.role !== "viewer";
  const addFiles = (files: File[]) => {
    if (canEdit) void uploads.add(files);
  };
  usePaste(addFiles);
  const drop = useFileDrop({ onFiles: canEdit ? addFiles : undefined });

  const viewer = useViewerAddress();
  useViewerList(useGalleryList(gallery, grid));
  const onOpen = (index: number, by: "click" | "focus") => {
    const asset = gallery.at(index);
    if (!asset) return;
    if (by === "click") viewer.open(asset.id);
    else setOpenId(asset.id);
  };
  useCommands([
    {
      id: "library.selectAll",
      title: t("selection.all"),
      group: t("selection.group"),
      icon: CheckSquare,
      shortcut: "mod+a",
      run: selectAll,
    },
    ...(canEdit
      ? [
          {
            id: "library.upload",
            title: t("library.upload"),
            group: t("selection.group"),
            icon: Upload,
            run: () => document.querySelector<HTMLInputElement>("#library-upload")?.click(),
          },
        ]
      : []),
  ]);

  // If the inspector covers the gallery, starting a selection must not open it.
  const onlyId = width === "wide" ? onlyOf(selection) : undefined;
  const inspectedId = openId ?? onlyId;
  const ids = [...selection.keys];
  const actions = useAssetActions();
  const target = selection.isAll ? { filter, exceptIds: [...(selection.except ?? [])] } : { ids };
  const trashRejects = () =>
    actions.act("trash", { filter: { ...filter, pick: "rejected", trash: "false" } });
  const openIds = openId === undefined ? [] : [openId];
  const marked = ids.length > 0 ? target : openId === undefined ? undefined : { ids: openIds };
  const atFocus = () => {
    const asset = gallery.at(indexOfTile(document.activeElement) ?? -1);
    return asset && { ids: [asset.id] };
  };
  const collection = useQuery(collectionQuery(project.id, filter.collectionId ?? "")).data
    ?.collection;
  useSavedSearch(collection);
  const order = useCollectionOrder({ gallery, filter, ids: ids.length > 0 ? ids : openIds });
  const isOrderable = order.isOrdered && !selection.isAll;
  const isSelecting = state === "coming" || ids.length > 0;
  const isTrash = view === "trash";
  useSelectionKeys({
    target: isTrash ? undefined : marked,
    atFocus: isTrash ? undefined : atFocus,
    actions,
    onTag: (on) => ask("tag", on),
    onCollect: (on) => ask("collect", on),
    onMoveToProject: (on) => ask("move", on),
    // Leaves out an item that is open but not selected.
    onTrash:
      isSelecting && !isTrash ? () => actions.act("trash", target, deselectActed) : undefined,
    onMove: isOrderable ? order.moveBy : undefined,
    state,
    onClear: isSelecting ? clearSelection : undefined,
    trashRejects,
  });
  const [asked, setAsked] = useState<Asked>();
  usePreload(loadBar);
  const matching = gallery.layout?.count ?? ids.length;
  const exceptions = selection.except?.size ?? 0;
  const count = selection.isAll ? matching - exceptions : Math.max(1, ids.length);
  // The item in focus is no longer known once a dialog has the focus.
  const ask = (question: Question, on: ActionTarget) =>
    setAsked({ question, target: on, count, open: true });
  const areKept = ids.every((id) => gallery.known.get(id)?.pick === "kept");
  const inspected = inspectedId === undefined ? undefined : gallery.known.get(inspectedId);
  const inspector = {
    title: inspected ? assetName(inspected) : t("library.recipe"),
    isOpen: inspectedId !== undefined,
    onOpenChange: (open: boolean) => {
      if (open) return;
      setOpenId(null);
      if (onlyId) clearSelection();
    },
    children: inspectedId ? (
      <Part fallback={<SkeletonText lines={5} />}>
        <AssetInspector assetId={inspectedId} withPreview />
      </Part>
    ) : (
      <p className={styles.none}>{t("asset.none")}</p>
    ),
  };
  return (
    <Screen
      title={t("screen.library")}
      tools={
        <LibraryTools
          filter={filter}
          view={view}
          set={set}
          tiles={tiles}
          canEdit={canEdit}
          onTrashRejects={canEdit && view !== "trash" ? trashRejects : undefined}
        />
      }
      actions={canEdit && <UploadButton onFiles={addFiles} isShort={inspector.isOpen || isPhone} />}
      pane={{ children: <LibraryPane view={view} filter={filter} set={set} actions={actions} /> }}
      inspector={inspectedId ? inspector : undefined}
      isSelfScrolling
    >
      <div {...drop.handlers} className={styles.stage}>
        <div className={styles.work}>
          <LibraryWork
            ref={grid}
            gallery={gallery}
            filter={filter}
            view={view}
            set={set}
            openId={openId}
            onOpen={onOpen}
            tileHeight={Math.min(tileHeights.max, Math.max(tileHeights.min, tiles[0]))}
            selection={selection}
            // Tiles that stay drawn while another filter loads may not match that filter.
            onSelect={gallery.isTurning ? ignore : select}
            onRangeChange={setInSight}
            onFiles={canEdit ? addFiles : undefined}
            onMoveTo={order.isOrdered && canEdit ? order.moveTo : undefined}
          />
          {ids.length > 0 && (
            <Part>
              <SelectionBar
                ids={ids}
                isAll={selection.isAll ?? false}
                count={count}
                matching={matching}
                target={target}
                actions={actions}
                isTrash={isTrash}
                areKept={areKept}
                onSelectAll={() =>
                  exceptions > 0 ? selectAll() : select({ ...selection, isAll: true })
                }
                onClear={clearSelection}
                onActed={deselectActed}
                onTag={() => ask("tag", target)}
                onCollect={() => ask("collect", target)}
                onMove={() => ask("move", target)}
                collection={
                  filter.collectionId === undefined
                    ? undefined
                    : {
                        onRemove: () =>
                          actions.act(
                            {
                              action: "uncollect",
                              collectionId: filter.collectionId,
                              name: collection?.name ?? t("library.collection.this"),
                            },
                            target,
                            deselectActed,
                          ),
                        onCover: ids.length === 1 ? () => order.setCover(ids[0]!) : undefined,
                      }
                }
              />
            </Part>
          )}
          {asked && (
            <PopupPart open={asked.open} onClose={() => setAsked({ ...asked, open: false })}>
              <SelectionDialog
                {...asked}
                onOpenChange={(open) => setAsked({ ...asked, open })}
                projectId={project.id}
                actions={actions}
                onMoved={deselectActed}
              />
            </PopupPart>
          )}
        </div>
        <UploadList uploads={uploads} />
        {drop.isOver && <div className={styles.drop}>{t("library.upload.drop")}</div>}
      </div>
    </Screen>
  );
}

const ignore = () => undefined;

const onlyOf = ({ keys }: Selection): string | undefined =>
  keys.size === 1 ? [...keys][0] : undefined;
