import { Plus } from "lucide-react";
import { t } from "../../../messages/t.ts";
import { Chip, TagChip } from "../../../ui/controls/chip.tsx";
import styles from "./tags.module.css";

type TagChipsProps<T> = {
  tags: readonly T[];
  /** Left out if the tags can only be read. */
  edit?: { onRemove: (tag: T) => void; onAdd: () => void } | undefined;
};

/** An item's tags, with buttons to remove each and to add more. */
export function TagChips<T extends { id: string; name: string }>({ tags, edit }: TagChipsProps<T>) {
  return (
    <div className={styles.tags}>
      {tags.map((tag) => (
        <TagChip
          key={tag.id}
          {...(edit && {
            onRemove: () => edit.onRemove(tag),
            removeLabel: t("tags.remove", { name: tag.name }),
          })}
        >
          {tag.name}
        </TagChip>
      ))}
      {edit && (
        <Chip icon={Plus} onClick={edit.onAdd}>
          {t("tags.add")}
        </Chip>
      )}
    </div>
  );
}
