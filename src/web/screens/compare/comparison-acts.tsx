import { Pencil, Trash2 } from "lucide-react";
import type { Comparison } from "#contract/entities.ts";
import { useChangeComparison } from "../../components/compare/compare.queries.ts";
import { t } from "../../messages/t.ts";
import type { MenuEntry } from "../../ui/overlays/menu-popup.tsx";
import { NameDialog } from "../../ui/overlays/name-dialog.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";

/** The author's acts on a comparison that isn't in the trash. */
export function useComparisonActs(
  { id }: Pick<Comparison, "id">,
  { onRename, onTrashed }: { onRename: () => void; onTrashed?: () => void },
): MenuEntry[] {
  const change = useChangeComparison(id);
  const toast = useToast();
  const report = () =>
    toast({
      text: t("compare.trashed"),
      action: { label: t("ui.undo"), onAction: () => change.mutate({ trashed: false }) },
    });
  // The promise reports it, because a card disappears with its comparison. The callback is called
  // only while the page is open, so that a person who has left it stays where they are.
  const trash = () =>
    void change
      .mutateAsync({ trashed: true }, { onSuccess: () => onTrashed?.() })
      .then(report, () => undefined);
  return [
    { label: t("compare.rename"), icon: Pencil, movesFocus: true, onSelect: onRename },
    { label: t("compare.delete"), icon: Trash2, danger: true, onSelect: trash },
  ];
}

/** Asks for a comparison's new title. */
export function RenameComparison({
  comparison: { id, title },
  onClose,
}: {
  comparison: Pick<Comparison, "id" | "title">;
  onClose: () => void;
}) {
  const change = useChangeComparison(id);
  return (
    <NameDialog
      naming={{
        title: t("compare.rename.title"),
        label: t("compare.rename.label"),
        name: title,
        action: t("compare.rename"),
        onSave: (name) =>
          change.mutateAsync({ title: name }).then(
            () => true,
            () => false,
          ),
      }}
      onClose={onClose}
    />
  );
}
