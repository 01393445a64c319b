import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Ellipsis, Folder, FolderOpen, FolderPlus, Tag } from "lucide-react";
import { useState } from "react";
import { limits } from "#contract/limits.ts";
import { foldersQuery } from "../../../data/queries/chat.queries.ts";
import { ActionMenu } from "../../../frame/action-menu.tsx";
import { PaneHeading, PaneRow } from "../../../frame/pane.tsx";
import { t } from "../../../messages/t.ts";
import { classes } from "../../../ui/classes.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import type { MenuEntry } from "../../../ui/overlays/menu-popup.tsx";
import { NameDialog, type Naming } from "../../../ui/overlays/name-dialog.tsx";
import { droppedConversation, holdsConversation } from "./dragged-conversation.ts";
import { type FolderLine, folderLines, idsWithin } from "./folder-tree.ts";
import styles from "./folders.module.css";
import { useFiled } from "./use-filed.ts";
import { type FolderActions, useFolderActions } from "./use-folder-actions.ts";

/** A person's folders and tags, above the list that they filter. */
export function FolderList({ projectId }: { projectId: string }) {
  const { data, error, refetch } = useQuery(foldersQuery(projectId));
  const actions = useFolderActions(projectId);
  const filed = useFiled();
  const [naming, setNaming] = useState<Naming | null>(null);
  const navigate = useNavigate();
  /** Updates the list's filter if its folder or tag was renamed or deleted. */
  const follow = (key: "folder" | "tag", from: string, to?: string) =>
    void navigate({
      to: ".",
      search: (before) => (before[key] === from ? { ...before, [key]: to } : before),
      replace: true,
    });
  const renameTag = async (name: string, to: string | null) => {
    const isDone = await actions.renameTag(name, to);
    if (isDone) follow("tag", name, to ?? undefined);
    return isDone;
  };
  const lines = folderLines(data?.folders ?? []);
  const beginFolder = (parentId: string | null) =>
    setNaming({
      title: t("chat.folder.new"),
      label: t("chat.folder.name"),
      name: "",
      action: t("chat.folder.create"),
      onSave: (name) => actions.create(name, parentId),
    });
  return (
    <section className={styles.folders} aria-label={t("chat.folders")}>
      <div className={styles.head}>
        <PaneHeading>{t("chat.folders")}</PaneHeading>
        <IconButton
          size="small"
          icon={FolderPlus}
          label={t("chat.folder.new")}
          onClick={() => beginFolder(null)}
        />
      </div>
      {error && !data && <ErrorState compact error={error} onRetry={() => void refetch()} />}
      {lines.map((line) => (
        <FolderRow
          key={line.id}
          line={line}
          lines={lines}
          isOpen={filed.folderId === line.id}
          actions={actions}
          onName={setNaming}
          onNew={() => beginFolder(line.id)}
          onRemoved={() => follow("folder", line.id)}
        />
      ))}
      {data?.tags.map(({ name, conversations }) => (
        <PaneRow
          key={name}
          link={
            <Link
              to="."
              search={(before) => ({
                ...before,
                folder: undefined,
                tag: filed.tag === name ? undefined : name,
              })}
              aria-current={filed.tag === name ? "true" : undefined}
            />
          }
          icon={<Tag aria-label={t("chat.tag")} />}
          count={conversations}
          end={
            <ActionMenu
              trigger={
                <IconButton size="small" icon={Ellipsis} label={t("chat.menu", { title: name })} />
              }
              label={t("chat.menu", { title: name })}
              entries={[
                {
                  label: t("chat.tag.rename"),
                  onSelect: () =>
                    setNaming({
                      title: t("chat.tag.rename"),
                      label: t("chat.folder.name"),
                      name,
                      action: t("chat.tag.rename"),
                      onSave: (to) => renameTag(name, to),
                    }),
                },
                {
                  label: t("chat.tag.remove"),
                  danger: true,
                  onSelect: () => void renameTag(name, null),
                },
              ]}
            />
          }
        >
          {name}
        </PaneRow>
      ))}
      {naming && <NameDialog naming={naming} onClose={() => setNaming(null)} />}
    </section>
  );
}

type FolderRowProps = {
  line: FolderLine;
  lines: readonly FolderLine[];
  isOpen: boolean;
  actions: FolderActions;
  onName: (naming: Naming) => void;
  onNew: () => void;
  onRemoved: () => void;
};

/** A folder: its link shows its conversations, and a conversation can be dropped onto it. */
function FolderRow({ line, lines, isOpen, actions, onName, onNew, onRemoved }: FolderRowProps) {
  const { id, name, depth, parentId } = line;
  const [isOver, setOver] = useState(false);
  const title = t("chat.menu", { title: name });
  const within = idsWithin(lines, id);
  const targets = lines.filter((other) => !within.has(other.id) && other.id !== parentId);
  const entries: MenuEntry[] = [
    {
      label: t("chat.folder.rename"),
      onSelect: () =>
        onName({
          title: t("chat.folder.rename"),
          label: t("chat.folder.name"),
          name,
          action: t("chat.folder.rename"),
          onSave: (to) => actions.rename(id, to),
        }),
    },
    ...(depth + 1 < limits.folderDepth
      ? [{ label: t("chat.folder.inside"), onSelect: onNew }]
      : []),
    ...(parentId !== null || targets.length > 0
      ? [
          {
            label: t("chat.folder.move"),
            entries: [
              ...(parentId === null
                ? []
                : [{ label: t("chat.folder.top"), onSelect: () => void actions.move(id, null) }]),
              ...targets.map((other) => ({
                label: other.name,
                onSelect: () => void actions.move(id, other.id),
              })),
            ],
          },
        ]
      : []),
    { separator: true },
    {
      label: t("chat.folder.delete"),
      danger: true,
      onSelect: () =>
        void actions.remove(id).then((isRemoved) => {
          if (isRemoved) onRemoved();
        }),
    },
  ];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keyboard's way is the conversation's menu
    <div
      className={classes(isOver && styles.over)}
      style={{ paddingInlineStart: depth * 14 }}
      onDragOver={(event) => {
        if (!holdsConversation(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        if (!holdsConversation(event)) return;
        event.preventDefault();
        void actions.file(droppedConversation(event), { folderId: id });
      }}
    >
      <PaneRow
        link={
          <Link
            to="."
            search={(before) => ({ ...before, tag: undefined, folder: isOpen ? undefined : id })}
            aria-current={isOpen ? "true" : undefined}
          />
        }
        icon={isOpen ? <FolderOpen aria-hidden /> : <Folder aria-hidden />}
        end={
          <ActionMenu
            trigger={<IconButton size="small" icon={Ellipsis} label={title} />}
            label={title}
            entries={entries}
          />
        }
      >
        {name}
      </PaneRow>
    </div>
  );
}
