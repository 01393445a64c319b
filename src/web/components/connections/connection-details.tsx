import { CircleCheck, KeyRound, LogIn, Pencil, RotateCw } from "lucide-react";
import { useState } from "react";
import { fieldsAskedFor } from "#domain/schemas/connection-fields.ts";
import {
  type ConnectionKind,
  type ListedConnection,
  useCheckConnection,
  useSignIn,
} from "../../data/queries/connections.queries.ts";
import { ActionButton } from "../../frame/action-button.tsx";
import { InspectorActions, InspectorSection } from "../../frame/inspector.tsx";
import { t } from "../../messages/t.ts";
import { Facts } from "../../ui/display/facts.tsx";
import { Time } from "../../ui/display/time.tsx";
import { BillButton } from "./bill/bill-button.tsx";
import { PowerButton, RemoveButton } from "./connection-end.tsx";
import { capabilityText, kindName, providesTools } from "./connection-list.tsx";
import { ConnectionStatus } from "./connection-status.tsx";
import styles from "./connections.module.css";
import { EditConnectionDialog } from "./edit-connection-dialog.tsx";
import { FirstStep } from "./first-step.tsx";
import { LocalModels } from "./local-models.tsx";
import { ProviderProblem } from "./provider-problem.tsx";
import { RedirectAddress } from "./redirect-address.tsx";
import { SignInNotice, useSignInOutcome } from "./sign-in-notice.tsx";
import { WorkflowList } from "./workflows/workflow-list.tsx";

export type ConnectionDetailsProps = {
  connection: ListedConnection;
  kinds: readonly ConnectionKind[];
  onRemoved: () => void;
};

/** One connection in the inspector: its facts and actions. */
export function ConnectionDetails({ connection, kinds, onRemoved }: ConnectionDetailsProps) {
  const kind = kinds.find((candidate) => candidate.kind === connection.kind);
  const [editing, setEditing] = useState<"all" | "key" | null>(null);
  const check = useCheckConnection();
  const signIn = useSignIn();
  const signInOutcome = useSignInOutcome();
  const addresses = Object.entries(connection.baseUrls);
  const isFailing = connection.status === "failing";
  const isOfTools = providesTools(kind);
  const options = connection.options as Record<string, unknown>;
  const asksForSignIn =
    kind?.signInWhen != null && options[kind.signInWhen.field] === kind.signInWhen.is;
  const secrets = fieldsAskedFor(kind?.fields ?? [], (name) => options[name]).filter(
    ({ kind: type }) => type === "secret",
  );
  const endEditing = () => {
    setEditing(null);
    // Earlier results describe the connection before its change.
    check.reset();
    signIn.reset();
  };
  // A rarely needed key is offered only if one is stored. For connections with sign-in, the key is
  // the app's, which most servers don't need.
  const hasKeyButton = secrets.some(
    ({ advanced }) => connection.hasSecret || !(advanced || asksForSignIn),
  );
  return (
    <>
      {signInOutcome && (
        <InspectorSection isPlain>
          <SignInNotice
            outcome={signInOutcome}
            onAgain={
              asksForSignIn && connection.mayManage ? () => signIn.mutate(connection.id) : undefined
            }
            busy={signIn.isPending}
          />
        </InspectorSection>
      )}
      <FirstStep
        connection={connection}
        isOfTools={isOfTools}
        isFilledHere={Boolean(kind?.workflows || kind?.local)}
      />
      <InspectorSection>
        <Facts
          facts={[
            [t("connections.fact.kind"), kindName(kinds, connection.kind)],
            [
              t("connections.fact.status"),
              <ConnectionStatus key="status" status={connection.status} />,
            ],
            [
              t("connections.fact.checked"),
              connection.checkedAt === null ? (
                t("connections.never")
              ) : (
                <Time key="time" at={connection.checkedAt} />
              ),
            ],
            [
              t(isOfTools ? "connections.fact.tools" : "connections.fact.models"),
              capabilityText(connection, kinds),
            ],
            [
              t("connections.fact.key"),
              kind && (connection.hasSecret || !asksForSignIn)
                ? t(connection.hasSecret ? "connections.key.isStored" : "connections.key.none")
                : null,
            ],
            [t("connections.fact.for"), t(`connections.for.${connection.scope}`)],
          ]}
        />
      </InspectorSection>
      {addresses.length > 0 && (
        <InspectorSection title={t("connections.addresses")}>
          <Facts
            facts={addresses.map(([name, address]) => [
              addressLabel(name),
              <code key={name}>{address}</code>,
            ])}
          />
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
            {asksForSignIn && (
              <ActionButton
                action="connection.signIn"
                icon={LogIn}
                variant={connection.status === "ok" ? undefined : "primary"}
                busy={signIn.isPending}
                onClick={() => signIn.mutate(connection.id)}
              >
                {t("connections.signIn")}
              </ActionButton>
            )}
            <ActionButton
              action="connection.check"
              icon={RotateCw}
              busy={check.isPending}
              onClick={() => check.mutate(connection.id)}
            >
              {t("connections.check")}
            </ActionButton>
            <PowerButton connection={connection} />
            {kind && (
              <ActionButton
                action="connection.edit"
                icon={Pencil}
                onClick={() => setEditing("all")}
              >
                {t("connections.edit")}
              </ActionButton>
            )}
            {hasKeyButton && (
              <ActionButton
                action="connection.key"
                icon={KeyRound}
                onClick={() => setEditing("key")}
              >
                {t("connections.key.newButton")}
              </ActionButton>
            )}
            {kind && !kind.free && !isOfTools && <BillButton connection={connection} kind={kind} />}
            {kind && <RemoveButton connection={connection} onRemoved={onRemoved} />}
          </InspectorActions>
          <div role="status" className={styles.outcome}>
            {check.data && (
              <p className={styles.result}>
                <CircleCheck aria-hidden />
                {isOfTools
                  ? check.data.message
                  : t("connections.result", {
                      message: check.data.message,
                      count: check.data.models,
                    })}
              </p>
            )}
          </div>
          <div className={styles.belowActions}>
            <ProviderProblem error={check.error ?? signIn.error} isKept={false} />
            {asksForSignIn && connection.status !== "ok" && kind.signInRedirect && (
              <RedirectAddress url={kind.signInRedirect} />
            )}
          </div>
        </InspectorSection>
      )}
      {kind?.workflows && <WorkflowList connection={connection} />}
      {kind?.local && connection.status !== "disabled" && <LocalModels connection={connection} />}
      {kind && (
        <EditConnectionDialog
          connection={connection}
          kind={kind}
          editing={editing}
          onClose={endEditing}
        />
      )}
    </>
  );
}

/** Labels for the address names in code: "webhookKeys" becomes "Webhook keys". */
function addressLabel(name: string): string {
  if (/^(api|rest)$/.test(name)) return name.toUpperCase();
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
