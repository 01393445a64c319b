import { useNavigate } from "@tanstack/react-router";
import type { Collection } from "#contract/entities.ts";
import { useChangeCollection } from "../../../data/queries/library/collections.queries.ts";
import { useSession } from "../../../data/shell-data.ts";
import { t } from "../../../messages/t.ts";
import { describeError } from "../../../ui/describe-error.ts";
import { NamePopup } from "../../../ui/overlays/name-popup.tsx";

type NameCollectionProps = {
  /** Null for a new collection. */
  collection: Collection | null;
  /** For a new saved search: the library's filter to save. */
  query?: NonNullable<Collection["query"]>;
  onClose: () => void;
};

/** Asks for the name of a collection or saved search. A new collection opens. */
export function NameCollection({ collection, query, onClose }: NameCollectionProps) {
  const { project } = useSession();
  const navigate = useNavigate();
  const change = useChangeCollection(project.id);
  const save = async (name: string) => {
    const what = collection
      ? { collectionId: collection.id, change: { name } }
      : { create: query ? { kind: "smart" as const, name, query } : { name } };
    try {
      const made = await change.mutateAsync(what);
      if (!collection && !query && made)
        void navigate({ to: "/library", search: { collection: made.id } });
      return true;
    } catch {
      // Shown at the field.
      return false;
    }
  };
  return (
    <NamePopup
      naming={{
        title: collection
          ? t("library.collections.rename.title", { name: collection.name })
          : t(query ? "library.saved.new" : "library.collections.new"),
        label: t("asset.name"),
        name: collection?.name ?? "",
        action: t("ui.save"),
        onSave: save,
      }}
      error={change.error ? describeError(change.error).title : null}
      onClose={onClose}
    />
  );
}
