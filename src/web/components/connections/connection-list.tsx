import type { ConnectionKind, ListedConnection } from "../../data/queries/connections.queries.ts";
import { t } from "../../messages/t.ts";
import { List, ListRow } from "../../ui/lists/list.tsx";
import { ServiceMark } from "./add/service-mark.tsx";
import { ConnectionStatus } from "./connection-status.tsx";

export type ConnectionListProps = {
  label: string;
  connections: readonly ListedConnection[];
  kinds: readonly ConnectionKind[];
  openId?: string;
  onOpen: (connectionId: string) => void;
};

/**
 * The name of a connection's kind. The built-in kind can't be added, so no list of kinds contains
 * it.
 */
export const kindName = (kinds: readonly ConnectionKind[], kind: string): string =>
  kinds.find((candidate) => candidate.kind === kind)?.name ?? t("connections.builtin");

/** Connections with their state; each opens its details. */
export function ConnectionList({ label, connections, kinds, openId, onOpen }: ConnectionListProps) {
  return (
    <List label={label}>
      {connections.map((connection) => (
        <ListRow
          key={connection.id}
          start={<ServiceMark kind={connection.kind} name={kindName(kinds, connection.kind)} />}
          title={connection.name}
          detail={describe(connection, kinds)}
          end={<ConnectionStatus status={connection.status} />}
          onOpen={() => onOpen(connection.id)}
          isOpen={connection.id === openId}
        />
      ))}
    </List>
  );
}

/** Tool servers have only tools, which nobody bills. */
export const providesTools = (kind: ConnectionKind | undefined): boolean =>
  kind?.tasks.every((task) => task === "tool") ?? false;

/** The connection's number of models or tools. */
export function capabilityText(
  { kind, models }: ListedConnection,
  kinds: readonly ConnectionKind[],
): string {
  const isOfTools = providesTools(kinds.find((candidate) => candidate.kind === kind));
  return t(isOfTools ? "connections.tools" : "connections.models", { count: models });
}

function describe(connection: ListedConnection, kinds: readonly ConnectionKind[]): string {
  if (connection.status === "failing" && connection.statusDetail) return connection.statusDetail;
  const kind = kindName(kinds, connection.kind);
  const models = capabilityText(connection, kinds);
  return kind === connection.name ? models : `${kind} · ${models}`;
}
