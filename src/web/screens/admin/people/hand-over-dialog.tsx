import { useState } from "react";
import styles from "../../../components/account/account.module.css";
import { FormError } from "../../../components/account/form-error.tsx";
import { type ListedPerson, useHandOver } from "../../../data/queries/people.queries.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { SelectField } from "../../../ui/controls/select.tsx";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";

export type HandOverDialogProps = {
  from: ListedPerson | null;
  people: readonly ListedPerson[];
  onClose: () => void;
};

/** Gives a suspended person's projects to someone active. */
export function HandOverDialog({ from, people, onClose }: HandOverDialogProps) {
  const [toUserId, setTo] = useState<string | null>(null);
  const [isMissing, setMissing] = useState(false);
  const handOver = useHandOver();
  const toast = useToast();
  const close = () => {
    setTo(null);
    setMissing(false);
    handOver.reset();
    onClose();
  };
  const submit = () => {
    setMissing(toUserId === null);
    if (!from || toUserId === null) return;
    const name = people.find(({ id }) => id === toUserId)?.name ?? "";
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
  const takers = people.filter(({ id, status }) => status === "active" && id !== from?.id);
  return (
    <Dialog
      open={from !== null}
      onOpenChange={(open) => !open && close()}
      title={t("people.handOver.title", { name: from?.name ?? "" })}
      description={t("people.handOver.text", { count: from?.projects ?? 0 })}
      footer={footer}
    >
      <div className={styles.form}>
        <SelectField
          label={t("people.handOver.to")}
          placeholder={t("people.handOver.choose")}
          error={isMissing ? t("people.handOver.needed") : null}
          value={toUserId}
          onValueChange={setTo}
          options={takers.map(({ id, name, email }) => ({ value: id, label: name, detail: email }))}
        />
        <FormError error={handOver.error} fields={[]} />
      </div>
    </Dialog>
  );
}
