import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import styles from "../../../components/account/account.module.css";
import { FormError } from "../../../components/account/form-error.tsx";
import {
  type ListedPerson,
  peopleQuery,
  useHandOver,
} from "../../../data/queries/people.queries.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { SelectField } from "../../../ui/controls/select.tsx";
import { SearchField } from "../../../ui/controls/text-field.tsx";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { useDebounced } from "../../../ui/use-debounced.ts";

export type HandOverDialogProps = {
  from: ListedPerson | null;
  onClose: () => void;
};

/** Gives a suspended person's projects to someone active. */
export function HandOverDialog({ from, onClose }: HandOverDialogProps) {
  const [toUserId, setTo] = useState<string | null>(null);
  const [isMissing, setMissing] = useState(false);
  const [search, setSearch] = useState("");
  const q = useDebounced(search.trim());
  const people = useInfiniteQuery({
    ...peopleQuery({ status: "active", ...(q && { q }) }),
    enabled: from !== null,
  });
  const takers = (people.data?.pages ?? [])
    .flatMap((page) => page.people)
    .filter(({ id }) => id !== from?.id);
  const handOver = useHandOver();
  const toast = useToast();
  const close = () => {
    setTo(null);
    setSearch("");
    setMissing(false);
    handOver.reset();
    onClose();
  };
  const submit = () => {
    setMissing(toUserId === null);
    if (!from || toUserId === null) return;
    const name = takers.find(({ id }) => id === toUserId)?.name ?? "";
    handOver.mutate(
      { userId: from.id, toUserId },
      {
        onSuccess: ({ projects }) => {
          toast({ text: t("people.handOver.done", { count: projects, name }) });
          close();
        },
      },
    );
  };
  const footer = (
    <>
      <Button onClick={close}>{t("ui.cancel")}</Button>
      <Button variant="primary" busy={handOver.isPending} onClick={submit}>
        {t("people.handOver.submit")}
      </Button>
    </>
  );
  return (
    <Dialog
      open={from !== null}
      onOpenChange={(open) => !open && close()}
      title={t("people.handOver.title", { name: from?.name ?? "" })}
      description={t("people.handOver.text", { count: from?.projects ?? 0 })}
      footer={footer}
    >
      <div className={styles.form}>
        {(search || people.hasNextPage) && (
          <SearchField
            label={t("people.search")}
            value={search}
            onValueChange={(value) => {
              setSearch(value);
              setTo(null);
            }}
          />
        )}
        <SelectField
          label={t("people.handOver.to")}
          placeholder={t("people.handOver.choose")}
          error={isMissing ? t("people.handOver.needed") : null}
          value={toUserId}
          onValueChange={setTo}
          options={takers.map(({ id, name, email }) => ({ value: id, label: name, detail: email }))}
        />
        <FormError error={handOver.error ?? people.error} fields={[]} />
      </div>
    </Dialog>
  );
}
