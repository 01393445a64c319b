import { Power, Trash2 } from "lucide-react";
import { useState } from "react";
import {
  type ListedConnection,
  useDisableConnection,
  useRemoveConnection,
} from "../../data/queries/connections.queries.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { ConfirmDialog } from "../../ui/overlays/dialog.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import { ProviderProblem } from "./provider-problem.tsx";

/** Disables and enables a connection. */
export function PowerButton({ connection }: { connection: ListedConnection }) {
  const switchPower = useDisableConnection();
  const toast = useToast();
  const isOff = connection.status === "disabled";
  const change = (disabled: boolean) =>
    switchPower.mutate(
      { connectionId: connection.id, disabled },
      { onError: (error) => toast({ kind: "error", text: error.message }) },
    );
  const press = () => {
    change(!isOff);
    if (!isOff)
      toast({
        text: t("connections.disabled", { name: connection.name }),
        action: { label: t("ui.undo"), onAction: () => change(false) },
      });
  };
  return (
    <Button icon={Power} onClick={press}>
      {t(isOff ? "connections.enable" : "connections.disable")}
    </Button>
  );
}

/** Removes a connection for good. */
export function RemoveButton({
  connection,
  onRemoved,
}: {
  connection: ListedConnection;
  onRemoved: () => void;
}) {
  const [isAsking, setAsking] = useState(false);
  const remove = useRemoveConnection();
  const toast = useToast();
  const confirm = () =>
    remove.mutate(connection.id, {
      onSuccess: () => {
        setAsking(false);
        toast({ text: t("connections.removed", { name: connection.name }) });
        onRemoved();
      },
    });
  return (
    <>
      <Button icon={Trash2} variant="danger" onClick={() => setAsking(true)}>
        {t("connections.remove")}
      </Button>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setAsking}
        title={t("connections.remove.title", { name: connection.name })}
        confirmLabel={t("connections.remove.confirm")}
        danger
        busy={remove.isPending}
        onConfirm={confirm}
      >
        <p>{t("connections.remove.text")}</p>
        <ProviderProblem error={remove.error} />
      </ConfirmDialog>
    </>
  );
}
