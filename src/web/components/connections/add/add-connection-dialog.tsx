import { useQuery } from "@tanstack/react-query";
import { ArrowLeft } from "lucide-react";
import { useId } from "react";
import {
  type ConnectionKind,
  type ConnectionPlace,
  foundServicesQuery,
  type ListedConnection,
  useConnect,
} from "../../../data/queries/connections.queries.ts";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { Dialog } from "../../../ui/overlays/dialog.tsx";
import { useToast } from "../../../ui/overlays/toast.tsx";
import { ConnectionForm } from "../connection-form.tsx";
import styles from "../connections.module.css";
import { ServicePicker } from "./service-picker.tsx";

export type AddConnectionDialogProps = {
  place: ConnectionPlace;
  kinds: readonly ConnectionKind[];
  /** Existing connections, so that detected services aren't offered twice. */
  connections: readonly ListedConnection[];
  /**
   * Undefined means closed; "" or an unknown kind means choosing one. Part of the address, so that
   * others can link to a kind.
   */
  picked: string | undefined;
  onPick: (kind: string | null) => void;
  onAdded: (connectionId: string) => void;
};

/**
 * Asks for the kind, then shows its fields. The provider's answer to the first check stays in the
 * form.
 */
export function AddConnectionDialog({
  place,
  kinds,
  connections,
  picked,
  onPick,
  onAdded,
}: AddConnectionDialogProps) {
  const formId = useId();
  const connect = useConnect(place);
  const toast = useToast();
  const kind = kinds.find((candidate) => candidate.kind === picked);
  // Reads only cached detections, because filling in an address doesn't justify a new search.
  const found = useQuery({ ...foundServicesQuery, enabled: false });
  const locked =
    place.scope === "instance"
      ? found.data?.find((service) => service.kind === picked && service.needsKey)
      : undefined;
  const pick = (next: string | null) => {
    connect.reset();
    onPick(next);
  };
  const footer = kind && (
    <>
      <Button variant="ghost" icon={ArrowLeft} onClick={() => pick("")}>
        {t("connections.add.back")}
      </Button>
      <Button type="submit" form={formId} variant="primary" busy={connect.isPending}>
        {t("connections.add.submit")}
      </Button>
    </>
  );
  return (
    <Dialog
      open={picked !== undefined}
      onOpenChange={(open) => !open && pick(null)}
      title={kind ? t("connections.add.kind", { name: kind.name }) : t("connections.add")}
      description={kind ? kind.summary : t("connections.add.intro")}
      footer={footer}
      size={kind ? "medium" : "huge"}
    >
      {kind ? (
        <>
          {place.scope !== "instance" && kind.free && (
            <p className={styles.note}>{t("connections.add.publicOnly")}</p>
          )}
          <ConnectionForm
            key={kind.kind}
            id={formId}
            kind={kind}
            error={connect.error}
            lockedAt={locked?.needsKey?.address}
            onSubmit={async (name, values) => {
              const { connection, message } = await connect.mutateAsync({
                kind: kind.kind,
                name,
                values,
              });
              // A connection that needs a sign-in is saved but doesn't work yet.
              const works = connection.status === "ok";
              toast({
                text: t(works ? "connections.connected" : "connections.saved", {
                  name: connection.name,
                }),
                detail: message,
              });
              onAdded(connection.id);
            }}
          />
        </>
      ) : (
        <ServicePicker
          kinds={kinds}
          connections={connections}
          mayTakeFound={place.scope === "instance"}
          onPick={pick}
          onAdded={onAdded}
        />
      )}
    </Dialog>
  );
}
