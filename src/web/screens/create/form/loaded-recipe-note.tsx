import { X } from "lucide-react";
import { ActionButton } from "../../../frame/action-button.tsx";
import { t } from "../../../messages/t.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import styles from "./form.module.css";
import type { CreateForm } from "./use-create-form.ts";

type LoadedRecipeNoteProps = { form: CreateForm; onRestore: () => void };

/** The title of the loaded recipe, with a button that restores the previous values. */
export function LoadedRecipeNote({ form, onRestore }: LoadedRecipeNoteProps) {
  const toast = useToast();
  const dismiss = () => {
    const onAction = form.dropAsides();
    toast({ text: t("create.recipe.dropped"), action: { label: t("ui.undo"), onAction } });
  };
  return (
    <div className={styles.recipe}>
      <p role="status" title={form.recipeTitle ?? undefined}>
        {t("create.recipe.of", { title: form.recipeTitle ?? "" })}
      </p>
      <ActionButton action="create.recipe.restore" size="small" onClick={onRestore}>
        {t("create.recipe.restore")}
      </ActionButton>
      <IconButton size="small" icon={X} label={t("create.recipe.drop")} onClick={dismiss} />
    </div>
  );
}
