import { useNavigate, useSearch } from "@tanstack/react-router";
import { Pencil, RotateCcw, Trash2 } from "lucide-react";
import type { Collection } from "#contract/entities.ts";
import { useChangeCollection } from "../../../data/queries/library/collections.queries.ts";
import { useSession } from "../../../data/shell-data.ts";
import { t } from "../../../messages/t.ts";
import type { MenuEntry } from "../../../ui/overlays/menu-popup.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";

/**
 * The acts on a collection. In the trash: restore it, or delete it for good after a confirmation.
 */
export function useCollectionActions(
  { id, name, trashedAt }: Collection,
  { onRename, onDelete }: { onRename: () => void; onDelete: () => void },
): MenuEntry[] {
  const { project } = useSession();
  const change = useChangeCollection(project.id);
  const onError = useErrorToast();
  const toast = useToast();
  const navigate = useNavigate();
  const search: { collection?: string } = useSearch({ strict: false });
  // A promise, because the row disappears with its collection, and callbacks of the mutation with
  // the row.
  const trash = (trashed: boolean, onSuccess: () => void = () => undefined) =>
    void change
      .mutateAsync({ collectionId: id, change: { trashed } })
      .then(onSuccess)
      .catch(onError);
  if (trashedAt !== null)
    return [
      { label: t("selection.restore"), icon: RotateCcw, onSelect: () => trash(false) },
      {
        label: t("selection.delete"),
        icon: Trash2,
        danger: true,
        movesFocus: true,
        onSelect: onDelete,
      },
    ];
  return [
    { label: t("library.tags.rename"), icon: Pencil, movesFocus: true, onSelect: onRename },
    {
      label: t("selection.trash"),
      icon: Trash2,
      danger: true,
      onSelect: () =>
        trash(true, () => {
          if (search.collection === id) void navigate({ to: "/library" });
          toast({
            text: t("library.collections.trashed", { name }),
            action: { label: t("ui.undo"), onAction: () => trash(false) },
          });
        }),
    },
  ];
}
