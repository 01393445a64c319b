import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Tag } from "#contract/entities.ts";
import { foldTag } from "#domain/text/fold-tag.ts";
import { hasEveryWord } from "#domain/text/search-words.ts";
import { ListDialog } from "../../../components/asset/list-dialog.tsx";
import { TagChips } from "../../../components/asset/tags/tag-chips.tsx";
import { TagPicker, useTagTyping } from "../../../components/asset/tags/tag-list.tsx";
import { foldersQuery } from "../../../data/queries/chat.queries.ts";
import { t } from "../../../messages/t.ts";
import { Field } from "../../../ui/controls/field.tsx";

type TagsFieldProps = {
  projectId: string;
  value: readonly string[];
  onValueChange: (tags: string[]) => void;
};

/** A conversation's tags. The person's other conversations suggest theirs. */
export function TagsField({ projectId, value, onValueChange }: TagsFieldProps) {
  const [isOpen, setOpen] = useState(false);
  const { own } = useOwnTags(projectId);
  const tags = value.map((name) => own.find(({ id }) => id === foldTag(name)) ?? toTag(name));
  const remove = ({ id }: Tag) => onValueChange(value.filter((name) => foldTag(name) !== id));
  const add = (name: string) => onValueChange([...value, name]);
  return (
    <Field label={t("chat.tags")} hint={t("chat.tags.hint")} isGroup>
      {() => (
        <>
          <TagChips tags={tags} edit={{ onRemove: remove, onAdd: () => setOpen(true) }} />
          <ListDialog open={isOpen} onOpenChange={setOpen} title={t("chat.tags")}>
            <OwnTags projectId={projectId} chosen={tags} onAdd={add} onRemove={remove} />
          </ListDialog>
        </>
      )}
    </Field>
  );
}

type OwnTagsProps = {
  projectId: string;
  chosen: readonly Tag[];
  onAdd: (name: string) => void;
  onRemove: (tag: Tag) => void;
};

function OwnTags({ projectId, chosen, onAdd, onRemove }: OwnTagsProps) {
  const typing = useTagTyping();
  const { own, read } = useOwnTags(projectId);
  const isNew = ({ id }: Tag) => !own.some((tag) => tag.id === id);
  const isFound = ({ name }: Tag) => typing.search === "" || hasEveryWord(name, typing.search);
  return (
    <TagPicker
      label={t("chat.tags")}
      chosen={chosen.map((tag) => ({ tag, state: "all" }))}
      onToggle={(tag, state) => (state ? onRemove(tag) : onAdd(tag.name))}
      onMake={(name, onDone) => {
        onAdd(name);
        onDone();
      }}
      typing={typing}
      found={{
        ...read,
        data: read.data && { tags: [...own, ...chosen.filter(isNew)].filter(isFound) },
      }}
    />
  );
}

function useOwnTags(projectId: string) {
  const read = useQuery(foldersQuery(projectId));
  const own = read.data?.tags.map((tag) => toTag(tag.name, tag.conversations)) ?? [];
  return { own, read };
}

const toTag = (name: string, count = 0): Tag => ({ id: foldTag(name), name, count });
