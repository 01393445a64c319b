import { useInfiniteQuery } from "@tanstack/react-query";
import { Ellipsis, Merge, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Tag } from "#contract/entities.ts";
import { TagList } from "../../../components/asset/tags/tag-dialog.tsx";
import { useChangeTag } from "../../../data/queries/library/change-tag.ts";
import { tagPagesQuery } from "../../../data/queries/library/tags.queries.ts";
import { useSession } from "../../../data/shell-data.ts";
import { ActionMenu } from "../../../frame/action-menu.tsx";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { NameField } from "../../../ui/controls/name-field.tsx";
import { describeError } from "../../../ui/describe-error.ts";
import { SkeletonText } from "../../../ui/display/skeleton.tsx";
import { List, ListRow } from "../../../ui/lists/list.tsx";
import { ListMore } from "../../../ui/lists/list-more.tsx";
import { ListSearch } from "../../../ui/lists/list-search.tsx";
import { ListState } from "../../../ui/lists/list-state.tsx";
import { ConfirmDialog, Dialog } from "../../../ui/overlays/dialog.tsx";
import { useErrorToast } from "../../../ui/overlays/use-error-toast.ts";
import { Part } from "../../../ui/part.tsx";
import { useDebounced } from "../../../ui/use-debounced.ts";
import styles from "./tags.module.css";

type Doing = { act: "rename" | "merge" | "delete"; tag: Tag };

/** All of the project's tags, to rename, merge and delete. */
export function ManageTags({ onClose }: { onClose: () => void }) {
  const { project } = useSession();
  const [search, setSearch] = useState("");
  const q = useDebounced(search.trim());
  const query = useInfiniteQuery(tagPagesQuery(project.id, q));
  const [doing, setDoing] = useState<Doing | null>(null);
  const tags = query.data?.pages.flatMap((page) => page.tags) ?? [];
  const end = () => setDoing(null);
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title={t("library.tags.manage")}>
      <ListSearch
        label={t("tags.search")}
        value={search}
        onValueChange={setSearch}
        count={query.isPlaceholderData ? undefined : tags.length}
      />
      <ListState
        query={query}
        none={tags.length === 0 && (q ? t("tags.none", { search: q }) : t("library.tags.empty"))}
      />
      {tags.length > 0 && (
        <List label={t("library.tags")} className={styles.list}>
          {tags.map((tag) => (
            <ListRow
              key={tag.id}
              title={tag.name}
              detail={t("library.gallery", { count: tag.count })}
              end={<TagMenu tag={tag} onDo={(act) => setDoing({ act, tag })} />}
            />
          ))}
        </List>
      )}
      <ListMore query={query} />
      {doing?.act === "rename" && <RenameTag tag={doing.tag} onEnd={end} />}
      {doing?.act === "merge" && <MergeTag tag={doing.tag} onEnd={end} />}
      {doing?.act === "delete" && <DeleteTag tag={doing.tag} onEnd={end} />}
    </Dialog>
  );
}

function TagMenu({ tag, onDo }: { tag: Tag; onDo: (act: Doing["act"]) => void }) {
  const label = t("library.tags.actions", { name: tag.name });
  return (
    <ActionMenu
      label={label}
      entries={[
        {
          label: t("library.tags.rename"),
          icon: Pencil,
          movesFocus: true,
          onSelect: () => onDo("rename"),
        },
        {
          label: t("library.tags.merge"),
          icon: Merge,
          movesFocus: true,
          onSelect: () => onDo("merge"),
        },
        {
          label: t("library.tags.delete"),
          icon: Trash2,
          danger: true,
          movesFocus: true,
          onSelect: () => onDo("delete"),
        },
      ]}
      trigger={<IconButton icon={Ellipsis} label={label} />}
    />
  );
}

type TagActionProps = { tag: Tag; onEnd: () => void };

function RenameTag({ tag, onEnd }: TagActionProps) {
  const { project } = useSession();
  const change = useChangeTag(project.id);
  const [name, setName] = useState(tag.name);
  const save = () => change.mutate({ tagId: tag.id, name }, { onSuccess: onEnd });
  const canSave = name.trim() !== "";
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onEnd()}
      title={t("library.tags.rename.title", { name: tag.name })}
      footer={
        <>
          <Button onClick={onEnd}>{t("ui.cancel")}</Button>
          <Button variant="primary" busy={change.isPending} disabled={!canSave} onClick={save}>
            {t("ui.save")}
          </Button>
        </>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (canSave) save();
        }}
      >
        <NameField
          label={t("asset.name")}
          value={name}
          previous={tag.name}
          onValueChange={setName}
          error={change.error ? describeError(change.error).title : null}
        />
      </form>
    </Dialog>
  );
}

/** Moves a tag's items to the chosen tag and deletes it. */
function MergeTag({ tag, onEnd }: TagActionProps) {
  const { project } = useSession();
  const change = useChangeTag(project.id);
  const onError = useErrorToast();
  const [into, setInto] = useState<Tag | null>(null);
  const title = t("library.tags.merge.title", { name: tag.name });
  if (into)
    return (
      <ConfirmDialog
        open
        onOpenChange={(open) => open || setInto(null)}
        title={t("library.tags.merge.ask", { name: tag.name, into: into.name })}
        confirmLabel={t("library.tags.merge.confirm")}
        danger
        busy={change.isPending}
        onConfirm={() =>
          change.isPending ||
          change.mutate({ tagId: tag.id, into: into.id }, { onSuccess: onEnd, onError })
        }
      >
        {t("library.tags.merge.after", { name: tag.name, into: into.name, count: tag.count })}
      </ConfirmDialog>
    );
  return (
    <Dialog open onOpenChange={(open) => open || onEnd()} title={title} isBare>
      <Part
        fallback={
          <div className={styles.loading}>
            <SkeletonText lines={5} />
          </div>
        }
      >
        <TagList
          projectId={project.id}
          label={title}
          chosen={[]}
          without={[tag.id]}
          onToggle={setInto}
          foot={t("library.tags.merge.text", { name: tag.name, count: tag.count })}
        />
      </Part>
    </Dialog>
  );
}

function DeleteTag({ tag, onEnd }: TagActionProps) {
  const { project } = useSession();
  const change = useChangeTag(project.id);
  const onError = useErrorToast();
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => open || onEnd()}
      title={t("library.tags.delete.title", { name: tag.name })}
      confirmLabel={t("library.tags.delete.confirm")}
      danger
      busy={change.isPending}
      onConfirm={() =>
        change.mutate({ tagId: tag.id, isRemoved: true }, { onSuccess: onEnd, onError })
      }
    >
      {t("library.tags.delete.text", { count: tag.count })}
    </ConfirmDialog>
  );
}
