import { useQuery } from "@tanstack/react-query";
import { Settings2 } from "lucide-react";
import { useState } from "react";
import type { AssetActions } from "../../../components/asset/inspector/use-asset-actions.ts";
import { tagsQuery } from "../../../data/queries/library/tags.queries.ts";
import type { AssetFilter } from "../../../data/queries/library.queries.ts";
import { useSession } from "../../../data/shell-data.ts";
import { useActions } from "../../../frame/action-button.tsx";
import { PaneHeading } from "../../../frame/pane.tsx";
import { t } from "../../../messages/t.ts";
import { Chip } from "../../../ui/controls/chip.tsx";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { lazyPart } from "../../../ui/lazy-part.ts";
import { PopupPart } from "../../../ui/part.tsx";
import { AssetDrop } from "../asset-drop.tsx";
import type { FilterChange } from "../filter.ts";
import { tagsOf, toggleTag } from "../filters/tags-of-filter.ts";
import styles from "./tags.module.css";

const ManageTags = lazyPart(() => import("./manage-tags.tsx").then(({ ManageTags }) => ManageTags));

/** As many as fit in the pane; the others are in the filter. */
const shown = 14;

type PaneTagsProps = {
  filter: AssetFilter;
  set: (change: FilterChange) => void;
  actions: Pick<AssetActions, "act" | "canEdit">;
};

/**
 * The most used tags: a click filters the library by a tag, or removes the filter. Tiles dropped on
 * one are tagged.
 */
export function PaneTags({ filter, set, actions }: PaneTagsProps) {
  const { project } = useSession();
  const [isManaging, setManaging] = useState(false);
  const tags = useQuery(tagsQuery(project.id, "")).data?.tags ?? [];
  const chosen = tagsOf(filter);
  const mayManage = project.role !== "viewer" && tags.length > 0;
  const manage = () => setManaging(true);
  useActions(
    mayManage
      ? [{ id: "tags.manage", title: t("library.tags.manage"), icon: Settings2, run: manage }]
      : [],
  );
  if (tags.length === 0 && !isManaging) return null;
  return (
    <section className={styles.section} aria-label={t("library.tags")}>
      <div className={styles.head}>
        <PaneHeading>{t("library.tags")}</PaneHeading>
        {project.role !== "viewer" && (
          <IconButton
            size="small"
            icon={Settings2}
            label={t("library.tags.manage")}
            onClick={manage}
          />
        )}
      </div>
      <div className={styles.chips}>
        {tags.slice(0, shown).map(({ id, name }) => (
          <AssetDrop
            key={id}
            actions={actions}
            does={actions.canEdit ? { action: "tag", tagIds: [id], name } : null}
          >
            <Chip selected={chosen.includes(id)} onClick={() => set(toggleTag(filter, id))}>
              {name}
            </Chip>
          </AssetDrop>
        ))}
      </div>
      {isManaging && (
        <PopupPart open onClose={() => setManaging(false)}>
          <ManageTags onClose={() => setManaging(false)} />
        </PopupPart>
      )}
    </section>
  );
}
