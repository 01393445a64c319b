import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Collection } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { useChangeCollection } from "../../../data/queries/library/collections.queries.ts";
import { useSession } from "../../../data/shell-data.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { NameField } from "../../../ui/controls/name-field.tsx";
import { describeError } from "../../../ui/describe-error.ts";
import { Dialog } from "../../../ui/overlays/dialog.tsx";

type NameCollectionProps = {
  /** Null for a new collection. */
  collection: Collection | null;
  /** For a new saved search: the library's filter to save. */
  query?: NonNullable<Collection["query"]>;
  onClose: () => void;
};

/** Asks for the name of a collection or saved search. A new collection opens. */
export function NameCollection({ collection, query, onClose }: NameCollectionProps) {
  const { project } = useSession();
  const navigate = useNavigate();
  const change = useChangeCollection(project.id);
  const [name, setName] = useState(collection?.name ?? "");
  const canSave = name.trim() !== "" && !change.isPending;
  const save = () => {
    if (!canSave) return;
    const what = collection
      ? { collectionId: collection.id, change: { name } }
      : { create: query ? { kind: "smart" as const, name, query } : { name } };
    change.mutate(what, {
      onSuccess: (made) => {
        onClose();
        if (!collection && !query && made)
          void navigate({ to: "/library", search: { collection: made.id } });
      },
    });
  };
  const title = collection
    ? t("library.collections.rename.title", { name: collection.name })
    : t(query ? "library.saved.new" : "library.collections.new");
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button variant="primary" busy={change.isPending} disabled={!canSave} onClick={save}>
            {t("ui.save")}
          </Button>
        </>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <NameField
          maxLength={limits.nameCharacters}
          label={t("asset.name")}
          value={name}
          onValueChange={setName}
          previous={collection?.name ?? ""}
          error={change.error ? describeError(change.error).title : null}
        />
      </form>
    </Dialog>
  );
}
