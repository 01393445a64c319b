import { SquareDashed } from "lucide-react";
import { useState } from "react";
import { useSession } from "../../../data/shell-data.ts";
import { t } from "../../../messages/t.ts";
import { EmptyState } from "../../../ui/display/empty-state.tsx";
import { PickerEmpty, PickerItem, PickerList } from "../../../ui/lists/picker-list.tsx";
import styles from "../tags/tags.module.css";

export type ProjectListProps = {
  /** The project to leave out. */
  projectId: string;
  label: string;
  onChoose: (projectId: string) => void;
};

/** The other projects in which the person may edit. In a separate chunk. */
export function ProjectList({ projectId, label, onChoose }: ProjectListProps) {
  const { projects } = useSession();
  const [typed, setTyped] = useState("");
  const open = projects.filter(
    ({ id, role, archivedAt }) => id !== projectId && role !== "viewer" && archivedAt === null,
  );
  if (open.length === 0)
    return (
      <EmptyState icon={SquareDashed} title={t("move.none")}>
        {t("move.none.text")}
      </EmptyState>
    );
  return (
    <PickerList
      label={label}
      placeholder={t("move.search")}
      query={typed}
      onQueryChange={setTyped}
      foot={t("move.note")}
    >
      <PickerEmpty>{t("move.noMatch", { search: typed })}</PickerEmpty>
      {open.map(({ id, name }) => (
        <PickerItem key={id} value={id} keywords={[name]} onSelect={() => onChoose(id)}>
          <SquareDashed aria-hidden />
          <span className={styles.name}>{name}</span>
        </PickerItem>
      ))}
    </PickerList>
  );
}
