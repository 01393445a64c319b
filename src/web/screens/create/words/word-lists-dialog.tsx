import { useQuery } from "@tanstack/react-query";
import { ChevronRight, ListPlus, Plus } from "lucide-react";
import { useState } from "react";
import { wordListsQuery } from "../../../data/queries/create.queries.ts";
import { formatCount } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { EmptyState } from "../../../ui/display/empty-state.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { SkeletonText } from "../../../ui/display/skeleton.tsx";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import { WordListForm } from "./word-list-form.tsx";
import styles from "./words.module.css";

type WordListsDialogProps = {
  projectId: string;
  open: boolean;
  /** The list shown first; null for the overview. */
  first: string | null;
  mayEdit: boolean;
  onClose: () => void;
};

/** A project's word lists, and one list's items. */
export function WordListsDialog({
  projectId,
  open,
  first,
  mayEdit,
  onClose,
}: WordListsDialogProps) {
  /** The open list's name; empty for a new one. */
  const [opened, setOpened] = useState(first);
  const { data: lists, error, refetch } = useQuery(wordListsQuery(projectId));
  const add = mayEdit && (
    <Button icon={Plus} onClick={() => setOpened("")}>
      {t("create.words.add")}
    </Button>
  );
  return (
    <Dialog
      open={open}
      onOpenChange={(isOpen) => isOpen || onClose()}
      title={
        opened === null
          ? t("create.words")
          : opened === ""
            ? t("create.words.add")
            : t("create.words.of", { name: opened })
      }
    >
      {opened !== null ? (
        <WordListForm
          key={opened}
          projectId={projectId}
          name={opened}
          mayEdit={mayEdit}
          // Saving may finish after another list is opened.
          onDone={() => setOpened((shown) => (shown === opened ? null : shown))}
        />
      ) : error && !lists ? (
        <ErrorState compact error={error} onRetry={() => void refetch()} />
      ) : !lists ? (
        <SkeletonText lines={4} />
      ) : lists.length === 0 ? (
        <EmptyState icon={ListPlus} title={t("create.words.empty")} action={add || undefined}>
          {t("create.words.hint")}
        </EmptyState>
      ) : (
        <div className={styles.lists}>
          <p className={styles.hint}>{t("create.words.hint")}</p>
          <ul>
            {lists.map(({ name, count }) => (
              <li key={name}>
                <button type="button" className={styles.list} onClick={() => setOpened(name)}>
                  <span className={styles.name}>{`__${name}__`}</span>
                  <span className={styles.count}>
                    {t("create.words.items", { count, shown: formatCount(count) })}
                  </span>
                  <ChevronRight aria-hidden />
                </button>
              </li>
            ))}
          </ul>
          {add}
        </div>
      )}
    </Dialog>
  );
}
