import { useQuery } from "@tanstack/react-query";
import {
  type FoundService,
  foundServicesQuery,
  type ListedConnection,
  useConnect,
} from "../../../data/queries/connections.queries.ts";
import { t } from "../../../messages/t.ts";
import { useToast } from "../../../ui/overlays/toast.tsx";

/**
 * Whether a detected service is already connected. An address identifies it exactly; a key only by
 * the name it was connected with.
 */
const isConnected = (service: FoundService, connections: readonly ListedConnection[]): boolean =>
  connections.some(
    ({ kind, name, baseUrls }) =>
      kind === service.kind &&
      (name === service.name ||
        Object.values(baseUrls).some((address) => service.detail.includes(address))),
  );

/**
 * The services that the server detects, and a function that connects one; nothing is connected
 * without a click. Only admins may search.
 */
export function useFoundServices(
  connections: readonly ListedConnection[],
  onConnected: (connectionId: string) => void,
  mayLook = true,
) {
  const found = useQuery({ ...foundServicesQuery, enabled: mayLook });
  const connect = useConnect({ scope: "instance" });
  const toast = useToast();
  return {
    found,
    services: (found.data ?? []).filter((service) => !isConnected(service, connections)),
    error: connect.error,
    /** The service being connected. */
    taking: connect.isPending ? connect.variables.take : undefined,
    take: ({ take, kind, name }: FoundService) =>
      connect.mutate(
        { kind, name, take },
        {
          onSuccess: ({ connection, message }) => {
            toast({ text: t("connections.connected", { name: connection.name }), detail: message });
            onConnected(connection.id);
          },
        },
      ),
  };
}
