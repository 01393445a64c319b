import { useId } from "react";
import {
  type ConnectionKind,
  type ListedConnection,
  useChangeConnection,
} from "../../data/queries/connections.queries.ts";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Dialog } from "../../ui/overlays/dialog.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import { ConnectionForm } from "./connection-form.tsx";
import { providesTools } from "./connection-list.tsx";

export type EditConnectionDialogProps = {
  connection: ListedConnection;
  kind: ConnectionKind;
  /** `key` replaces only the key, `all` edits everything; null means closed. */
  editing: "all" | "key" | null;
  onClose: () => void;
};

/** Changes a connection, then checks it. A stored key can be replaced but is never shown. */
export function EditConnectionDialog({
  connection,
  kind,
  editing,
  onClose,
}: EditConnectionDialogProps) {
  const formId = useId();
  const change = useChangeConnection();
  const toast = useToast();
  const close = () => {
    change.reset();
    onClose();
  };
  const isKeyOnly = editing === "key";
  const footer = (
    <>
      <Button onClick={close}>{t("ui.cancel")}</Button>
      <Button type="submit" form={formId} variant="primary" busy={change.isPending}>
        {t("connections.edit.submit")}
      </Button>
    </>
  );
  return (
    <Dialog
      open={editing !== null}
      onOpenChange={(open) => !open && close()}
      title={t(isKeyOnly ? "connections.key.new" : "connections.edit.title", {
        name: connection.name,
      })}
      footer={footer}
    >
      {editing !== null && (
        <ConnectionForm
          id={formId}
          kind={kind}
          connection={connection}
          isKeyOnly={isKeyOnly}
          error={change.error}
          onSubmit={async (name, values) => {
            const hasValues = Object.keys(values).length > 0;
            const checked = await change.mutateAsync({
              connectionId: connection.id,
              ...(name !== connection.name && { name }),
              ...(hasValues && { values }),
            });
            toast(
              checked
                ? {
                    text: t("connections.works", { name }),
                    detail: providesTools(kind)
                      ? checked.message
                      : t("connections.result", {
                          message: checked.message,
                          count: checked.models,
                        }),
                  }
                : { text: t("connections.saved", { name }) },
            );
            close();
          }}
        />
      )}
    </Dialog>
  );
}
