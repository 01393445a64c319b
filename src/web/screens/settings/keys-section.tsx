import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plus, SquareTerminal } from "lucide-react";
import { useState } from "react";
import {
  budgetChanges,
  draftOfKey,
  newKeyDraft,
  type ReadKey,
} from "../../components/keys/key-draft.ts";
import { ShownOnceDialog } from "../../components/shown-once/shown-once-dialog.tsx";
import {
  type CreatedKey,
  keysQuery,
  type OwnKey,
  useCreateKey,
  useUpdateKey,
} from "../../data/queries/keys.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { ActionButton } from "../../frame/action-button.tsx";
import { PageColumn, PageSection } from "../../frame/page.tsx";
import { useSectionParts } from "../../frame/sectioned-screen.tsx";
import { t } from "../../messages/t.ts";
import { EmptyState } from "../../ui/display/empty-state.tsx";
import { List } from "../../ui/lists/list.tsx";
import { ListState } from "../../ui/lists/list-state.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import { CommandLine } from "./command-line.tsx";
import { KeyDialog } from "./key-dialog.tsx";
import { KeyRow } from "./key-row.tsx";

/**
 * The open form: for a new key (null) or an existing one; `time` makes each opening a fresh form.
 */
type Editing = { changed: OwnKey | null; isOpen: boolean; time: number };

/** The person's API keys. */
export function KeysSection() {
  const { currentProjectId } = useSession();
  const keys = useQuery(keysQuery);
  const create = useCreateKey();
  const update = useUpdateKey();
  const toast = useToast();
  const [editing, setEditing] = useState<Editing>({ changed: null, isOpen: false, time: 0 });
  const [made, setMade] = useState<CreatedKey | null>(null);
  const edit = (changed: OwnKey | null) => {
    create.reset();
    update.reset();
    setEditing(({ time }) => ({ changed, isOpen: true, time: time + 1 }));
  };
  const close = () => setEditing((before) => ({ ...before, isOpen: false }));
  const submit = ({ projectId, budget, expiresAt, ...rest }: ReadKey) => {
    const { changed } = editing;
    if (!changed)
      return create.mutate(
        { ...rest, projectId, expiresAt: expiresAt ?? null, ...(budget && { budget }) },
        {
          onSuccess: (answer) => {
            close();
            setMade(answer);
          },
        },
      );
    update.mutate(
      {
        keyId: changed.id,
        change: { ...rest, expiresAt },
        budgets: budgetChanges(changed.budgets[0], budget),
      },
      {
        onSuccess: () => {
          close();
          toast({ text: t("keys.saved", { name: rest.name }) });
        },
      },
    );
  };
  const add = (
    <ActionButton action="keys.add" variant="primary" icon={Plus} onClick={() => edit(null)}>
      {t("keys.add")}
    </ActionButton>
  );
  const list = keys.data ?? [];
  useSectionParts({ actions: list.length > 0 && add });
  return (
    <>
      <PageColumn>
        {keys.data?.length === 0 ? (
          <EmptyState icon={SquareTerminal} title={t("keys.empty")} action={add}>
            {t("keys.intro")} {t("keys.empty.text")}
          </EmptyState>
        ) : (
          <PageSection
            title={t("keys.title")}
            aside={keys.data ? list.length : undefined}
            intro={
              <>
                {t("keys.intro")} <Link to="/docs">{t("keys.docs")}</Link>
              </>
            }
          >
            <ListState query={keys} />
            {list.length > 0 && (
              <List label={t("keys.title")}>
                {list.map((key) => (
                  <KeyRow key={key.id} apiKey={key} onEdit={() => edit(key)} onMade={setMade} />
                ))}
              </List>
            )}
          </PageSection>
        )}
        <CommandLine />
      </PageColumn>
      <KeyDialog
        key={editing.time}
        isOpen={editing.isOpen}
        onClose={close}
        initial={editing.changed ? draftOfKey(editing.changed) : newKeyDraft(currentProjectId)}
        changed={editing.changed}
        isBusy={create.isPending || update.isPending}
        error={create.error ?? update.error}
        onSubmit={submit}
      />
      <ShownOnceDialog
        value={made?.token ?? null}
        title={made ? t("keys.once", { name: made.key.name }) : ""}
        description={t("keys.once.text")}
        label={t("keys.once.label")}
        copy={t("keys.once.copy")}
        copied={t("keys.once.copied")}
        onClose={() => setMade(null)}
      />
    </>
  );
}
