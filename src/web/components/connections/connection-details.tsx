import { CircleCheck, KeyRound, LogIn, Pencil, Power, RotateCw, Trash2 } from "lucide-react";
import { useState } from "react";
import { t } from "../../messages/t.ts";
import { Facts, InspectorActions, InspectorSection } from "../../shell/inspector.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { BillButton } from "./bill/bill-button.tsx";
import { givesTools, kindName, offerWords } from "./connection-list.tsx";
import { ConnectionStatus } from "./connection-status.tsx";
import styles from "./connections.module.css";
import {
  type ConnectionKind,
  type ListedConnection,
  useCheckConnection,
  useDisableConnection,
  useRemoveConnection,
  useSignIn,
} from "./connections.queries.ts";
import { EditConnectionDialog } from "./edit-connection-dialog.tsx";
import { LocalModels } from "./local-models.tsx";
import { ProviderProblem } from "./provider-problem.tsx";
import { WorkflowList } from "./workflows/workflow-list.tsx";

export type ConnectionDetailsProps = {
  connection: ListedConnection;
  kinds: readonly ConnectionKind[];
  onRemoved: () => void;
};

/** One connection in the inspector: what is known of it, and what can be done to it. */
export function ConnectionDetails({ connection, kinds, onRemoved }: ConnectionDetailsProps) {
  const kind = kinds.find((candidate) => candidate.kind === connection.kind);
  const [editing, setEditing] = useState<"all" | "key" | null>(null);
  const check = useCheckConnection();
  const signIn = useSignIn();
  const addresses = Object.entries(connection.baseUrls);
  const isFailing = connection.status === "failing";
  return (
    <>
      <InspectorSection>
        <Facts
          facts={[
            [t("connections.fact.kind"), kindName(kinds, connection.kind)],
            [t("connections.fact.status"), <ConnectionStatus key="status" status={connection.status} />],
            [
              t("connections.fact.checked"),
              connection.checkedAt === null ? t("connections.never") : <Time key="time" at={connection.checkedAt} />,
            ],
            [t(givesTools(kind) ? "connections.fact.tools" : "connections.fact.models"), offerWords(connection, kinds)],
            [t("connections.fact.key"), kind && t(connection.hasSecret ? "connections.key.isStored" : "connections.key.none")],
            [t("connections.fact.for"), t(`connections.for.${connection.scope}`)],
          ]}
        />
      </InspectorSection>
      {addresses.length > 0 && (
        <InspectorSection title={t("connections.addresses")}>
          <Facts facts={addresses.map(([name, address]) => [name, <code key={name}>{address}</code>])} />
        </InspectorSection>
      )}
      {isFailing && connection.statusDetail && !check.error && (
        <InspectorSection title={t("connections.problem")}>
          <p className={styles.reason}>{connection.statusDetail}</p>
        </InspectorSection>
      )}
      {!connection.mayManage ? (
        <InspectorSection>
          <p className={styles.note}>{t("connections.notYours")}</p>
        </InspectorSection>
      ) : (
        <InspectorSection>
          <InspectorActions>
            <Button icon={RotateCw} busy={check.isPending} onClick={() => check.mutate(connection.id)}>
              {t("connections.check")}
            </Button>
            {kind?.signInWhen && (connection.options as Record<string, unknown>)[kind.signInWhen.field] === kind.signInWhen.is && (
              <Button icon={LogIn} busy={signIn.isPending} onClick={() => signIn.mutate(connection.id)}>
                {t("connections.signIn")}
              </Button>
            )}
            <PowerButton connection={connection} />
            {kind && (
              <Button icon={Pencil} onClick={() => setEditing("all")}>
                {t("connections.edit")}
              </Button>
            )}
            {kind?.fields.some((field) => field.kind === "secret" && !(field.advanced && !connection.hasSecret)) && (
              <Button icon={KeyRound} onClick={() => setEditing("key")}>
                {t("connections.key.newButton")}
              </Button>
            )}
            {kind && !kind.free && !givesTools(kind) && <BillButton connection={connection} kind={kind} />}
            {kind && <RemoveButton connection={connection} onRemoved={onRemoved} />}
          </InspectorActions>
          <div role="status" className={styles.outcome}>
            {check.data && (
              <p className={styles.result}>
                <CircleCheck aria-hidden />
                {t("connections.result", { message: check.data.message, count: check.data.models })}
              </p>
            )}
          </div>
          <ProviderProblem error={check.error ?? signIn.error} />
        </InspectorSection>
      )}
      {kind?.workflows && <WorkflowList connection={connection} />}
      {kind?.local && connection.status !== "disabled" && <LocalModels connection={connection} />}
      {kind && <EditConnectionDialog connection={connection} kind={kind} editing={editing} onClose={() => setEditing(null)} />}
    </>
  );
}

function PowerButton({ connection }: { connection: ListedConnection }) {
  const switchPower = useDisableConnection();
  const toast = useToast();
  const isOff = connection.status === "disabled";
  const change = (disabled: boolean) =>
    switchPower.mutate({ connectionId: connection.id, disabled }, { onError: (error) => toast({ kind: "error", text: error.message }) });
  const press = () => {
    change(!isOff);
    if (!isOff)
      toast({ text: t("connections.disabled", { name: connection.name }), action: { label: t("ui.undo"), onAction: () => change(false) } });
  };
  return (
    <Button icon={Power} onClick={press}>
      {t(isOff ? "connections.enable" : "connections.disable")}
    </Button>
  );
}

function RemoveButton({ connection, onRemoved }: { connection: ListedConnection; onRemoved: () => void }) {
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
