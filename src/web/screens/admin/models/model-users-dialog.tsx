import { type FormEvent, useDeferredValue, useId, useState } from "react";
import type { ModelUsers } from "#contract/entities.ts";
import { FormError } from "../../../components/account/form-error.tsx";
import {
  type Access,
  type AccessOf,
  useSetModelAccess,
} from "../../../data/queries/access.queries.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { Checkbox } from "../../../ui/controls/checkbox.tsx";
import { Segmented } from "../../../ui/controls/segmented.tsx";
import { SearchField } from "../../../ui/controls/text-field.tsx";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { usersWords } from "./model-users-words.ts";
import styles from "./models-section.module.css";

/** The models that a rule is for, and their present rule. */
export type AccessTarget = { of: AccessOf; what: string; users: ModelUsers | null };

export type ModelUsersDialogProps = {
  target: AccessTarget;
  isOpen: boolean;
  access: Access;
  onClose: () => void;
};

type Who = "inherit" | ModelUsers["who"];
const shownMost = 50;

/** Sets who can use some models. The input stays if the server refuses it. */
export function ModelUsersDialog({ target, isOpen, access, onClose }: ModelUsersDialogProps) {
  const formId = useId();
  const [who, setWho] = useState<Who>(target.users?.who ?? "inherit");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () => new Set(target.users?.who === "these" ? idsOf(target.users) : []),
  );
  const set = useSetModelAccess();
  const toast = useToast();
  const wholeConnection = "connectionId" in target.of;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const users = toUsers(who, chosen, access);
    set.mutate(
      { of: target.of, users },
      {
        onSuccess: ({ models }) => {
          toast({ text: t("access.set.done", { count: models, who: usersWords(users) }) });
          onClose();
        },
      },
    );
  };
  const footer = (
    <>
      <Button onClick={onClose}>{t("ui.cancel")}</Button>
      <Button type="submit" form={formId} variant="primary" busy={set.isPending}>
        {t("access.set.save")}
      </Button>
    </>
  );
  const hint =
    who === "inherit"
      ? t(wholeConnection ? "access.inherit.connection.hint" : "access.inherit.model.hint")
      : t(`access.${who}.hint`);
  return (
    <Dialog
      open={isOpen}
      onOpenChange={(open) => !open && onClose()}
      title={t("access.set.title", { what: target.what })}
      footer={footer}
    >
      <form id={formId} className={styles.form} onSubmit={submit} noValidate>
        <Segmented
          label={t("access.who")}
          value={who}
          onValueChange={setWho}
          options={(["inherit", "everyone", "admins", "these"] as const).map((value) => ({
            value,
            label: t(`access.${value}`),
          }))}
        />
        <p className={styles.hint}>{hint}</p>
        {who === "these" && <Choose access={access} chosen={chosen} onChosen={setChosen} />}
        <FormError error={set.error} fields={[]} />
      </form>
    </Dialog>
  );
}

const idsOf = ({ userIds, projectIds }: Extract<ModelUsers, { who: "these" }>): string[] => [
  ...userIds,
  ...projectIds,
];

function toUsers(
  who: Who,
  chosen: ReadonlySet<string>,
  { people, projects }: Access,
): ModelUsers | null {
  if (who === "inherit") return null;
  if (who !== "these") return { who };
  const among = (list: readonly { id: string }[]) =>
    list.flatMap(({ id }) => (chosen.has(id) ? [id] : []));
  return { who, userIds: among(people), projectIds: among(projects) };
}

type ChooseProps = {
  access: Access;
  chosen: ReadonlySet<string>;
  onChosen: (chosen: ReadonlySet<string>) => void;
};

/** People and projects to choose from, chosen ones first, limited to the first matches. */
function Choose({ access, chosen, onChosen }: ChooseProps) {
  const [search, setSearch] = useState("");
  const [first] = useState(chosen);
  const sought = useDeferredValue(search).trim().toLowerCase();
  const toggle = (id: string, on: boolean) =>
    onChosen(new Set(on ? [...chosen, id] : [...chosen].filter((one) => one !== id)));
  const found = (list: Access["people"]) =>
    list
      .filter(({ name, detail }) => `${name} ${detail}`.toLowerCase().includes(sought))
      .sort((a, b) => Number(first.has(b.id)) - Number(first.has(a.id)))
      .slice(0, shownMost);
  const groups = (["people", "projects"] as const).map((kind) => ({
    kind,
    list: found(access[kind]),
  }));
  return (
    <>
      <SearchField label={t("access.find")} value={search} onValueChange={setSearch} />
      {groups.every(({ list }) => list.length === 0) && (
        <p className={styles.hint}>{t("access.find.none")}</p>
      )}
      {groups.map(
        ({ kind, list }) =>
          list.length > 0 && (
            <fieldset key={kind} className={styles.group}>
              <legend>{t(`access.${kind}`)}</legend>
              {list.map(({ id, name, detail }) => (
                <Checkbox
                  key={id}
                  label={name}
                  hint={detail}
                  checked={chosen.has(id)}
                  onCheckedChange={(on) => toggle(id, on)}
                />
              ))}
            </fieldset>
          ),
      )}
    </>
  );
}
