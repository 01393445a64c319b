import { useInfiniteQuery } from "@tanstack/react-query";
import { Ellipsis, Folder, FolderPlus, Search } from "lucide-react";
import { useState } from "react";
import type { Collection } from "#contract/entities.ts";
import { thumbnailUrl } from "../../../components/asset/asset-urls.ts";
import type { AssetActions } from "../../../components/asset/inspector/use-asset-actions.ts";
import {
  collectionsQuery,
  useChangeCollection,
} from "../../../data/queries/library/collections.queries.ts";
import { useSession } from "../../../data/shell-data.ts";
import { useActions } from "../../../frame/action-button.tsx";
import { ActionMenu } from "../../../frame/action-menu.tsx";
import { PaneHeading, PaneList, PaneRow } from "../../../frame/pane.tsx";
import { PlaceLink } from "../../../frame/place-link.tsx";
import { t } from "../../../messages/t.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { lazyPart } from "../../../ui/lazy-part.ts";
import { ListMore } from "../../../ui/lists/list-more.tsx";
import { ConfirmDialog } from "../../../ui/overlays/dialog.tsx";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";
import { PopupPart } from "../../../ui/part.tsx";
import { AssetDrop } from "../asset-drop.tsx";
import { toSearch, type View } from "../filter.ts";
import styles from "./collections.module.css";
import { useCollectionActions } from "./use-collection-actions.ts";

const NameCollection = lazyPart(() =>
  import("./name-collection.tsx").then(({ NameCollection }) => NameCollection),
);

type PaneCollectionsProps = {
  view: View;
  /** The open collection or saved search. */
  openId: string | undefined;
  actions: Pick<AssetActions, "act" | "canEdit">;
};

/** Collections with their covers, and saved searches; in the trash, the trashed ones. */
export function PaneCollections({ view, openId, actions }: PaneCollectionsProps) {
  const { project } = useSession();
  const isTrash = view === "trash" && openId === undefined;
  const query = useInfiniteQuery(collectionsQuery(project.id, isTrash ? { trash: "true" } : {}));
  const [deleting, setDeleting] = useState<Collection | null>(null);
  const [naming, setNaming] = useState<Collection | "new" | null>(null);
  const all = query.data?.pages.flatMap((page) => page.collections) ?? [];
  const manual = all.filter(({ kind }) => kind === "manual");
  const smart = all.filter(({ kind }) => kind === "smart");
  const mayAdd = actions.canEdit && !isTrash;
  const add = () => setNaming("new");
  const addAct = {
    id: "library.collections.new",
    title: t("library.collections.new"),
    icon: FolderPlus,
    run: add,
  };
  useActions(mayAdd ? [addAct] : []);
  const row = (collection: Collection) => (
    <CollectionRow
      key={collection.id}
      collection={collection}
      isOpen={collection.id === openId}
      actions={actions}
      onRename={() => setNaming(collection)}
      onDelete={() => setDeleting(collection)}
    />
  );
  return (
    <>
      {(manual.length > 0 || mayAdd) && (
        <>
          <div className={styles.head}>
            <PaneHeading>{t("library.collections")}</PaneHeading>
            {mayAdd && (
              <IconButton size="small" icon={FolderPlus} label={addAct.title} onClick={add} />
            )}
          </div>
          <PaneList label={t("library.collections")}>{manual.map(row)}</PaneList>
        </>
      )}
      {smart.length > 0 && (
        <>
          <div className={styles.head}>
            <PaneHeading>{t("library.saved")}</PaneHeading>
          </div>
          <PaneList label={t("library.saved")}>{smart.map(row)}</PaneList>
        </>
      )}
      <ListMore query={query} of={t("library.collections")} />
      {deleting && <DeleteCollection collection={deleting} onEnd={() => setDeleting(null)} />}
      {naming && (
        <PopupPart open onClose={() => setNaming(null)}>
          <NameCollection
            collection={naming === "new" ? null : naming}
            onClose={() => setNaming(null)}
          />
        </PopupPart>
      )}
    </>
  );
}

/** Rendered above the list, because the row disappears with its collection. */
function DeleteCollection({
  collection: { id, name, kind },
  onEnd,
}: {
  collection: Collection;
  onEnd: () => void;
}) {
  const { project } = useSession();
  const change = useChangeCollection(project.id);
  const onError = useErrorToast();
  const isSearch = kind === "smart";
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => open || onEnd()}
      title={t("library.collections.delete.title", { name })}
      confirmLabel={t(
        isSearch
          ? "library.collections.delete.confirm.search"
          : "library.collections.delete.confirm",
      )}
      danger
      busy={change.isPending}
      onConfirm={() =>
        change.isPending ||
        change.mutate({ collectionId: id, isRemoved: true }, { onSuccess: onEnd, onError })
      }
    >
      {t(isSearch ? "library.collections.delete.text.search" : "library.collections.delete.text")}
    </ConfirmDialog>
  );
}

type CollectionRowProps = {
  collection: Collection;
  isOpen: boolean;
  actions: PaneCollectionsProps["actions"];
  onRename: () => void;
  onDelete: () => void;
};

function CollectionRow({ collection, isOpen, actions, ...asked }: CollectionRowProps) {
  const { id, kind, name, count, cover, query, trashedAt } = collection;
  const { project } = useSession();
  const acts = useCollectionActions(collection, asked);
  const canDrop = kind === "manual" && trashedAt === null && actions.canEdit;
  const picture = cover && thumbnailUrl(cover, 32);
  const icon =
    kind === "smart" ? (
      <Search key="icon" aria-hidden />
    ) : picture ? (
      <img key="icon" className={styles.cover} src={picture} alt="" />
    ) : (
      <Folder key="icon" aria-hidden />
    );
  const found = kind === "smart" ? toSearch(query ?? {}) : { collection: id };
  const link =
    trashedAt === null ? (
      <PlaceLink to="/library" search={{ ...found, project: project.id }} isCurrent={isOpen} />
    ) : (
      <span />
    );
  return (
    <AssetDrop
      actions={actions}
      does={canDrop ? { action: "collect", collectionId: id, name } : null}
    >
      <PaneRow
        link={link}
        icon={icon}
        count={kind === "manual" ? count : undefined}
        end={
          actions.canEdit && (
            <ActionMenu
              label={t("library.collections.actions", { name })}
              entries={acts}
              trigger={
                <IconButton
                  size="small"
                  icon={Ellipsis}
                  label={t("library.collections.actions", { name })}
                />
              }
            />
          )
        }
      >
        {name}
      </PaneRow>
    </AssetDrop>
  );
}
