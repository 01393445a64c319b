import { useQuery } from "@tanstack/react-query";
import { RotateCw, Search } from "lucide-react";
import {
  type FoundService,
  foundQuery,
  type ListedConnection,
  useConnect,
} from "../../data/queries/connections.queries.ts";
import { PageSection } from "../../frame/page.tsx";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Avatar } from "../../ui/display/avatar.tsx";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { List, ListRow } from "../../ui/lists/list.tsx";
import { useToast } from "../../ui/overlays/toast.tsx";
import { ProviderProblem } from "./provider-problem.tsx";

/** Whether something that was found is among the connections already. An address tells for sure; a key is known by the name it was taken with. */
const isConnected = (service: FoundService, connections: readonly ListedConnection[]): boolean =>
  connections.some(
    ({ kind, name, baseUrls }) =>
      kind === service.kind &&
      (name === service.name ||
        Object.values(baseUrls).some((address) => service.detail.includes(address))),
  );

/** What the server finds by itself, each offered; nothing is taken silently. */
export function FoundList({
  connections,
  onConnected,
}: {
  connections: readonly ListedConnection[];
  onConnected: (id: string) => void;
}) {
  const found = useQuery(foundQuery);
  const connect = useConnect({ scope: "instance" });
  const toast = useToast();
  const services = (found.data ?? []).filter((service) => !isConnected(service, connections));
  const again = (
    <Button
      size="small"
      variant="ghost"
      icon={found.data ? RotateCw : Search}
      busy={found.isFetching}
      onClick={() => void found.refetch()}
    >
      {t("connections.found.again")}
    </Button>
  );
  const take = ({ take: name, kind, name: title }: FoundService) =>
    connect.mutate(
      { kind, name: title, take: name },
      {
        onSuccess: ({ connection, message }) => {
          toast({ text: t("connections.connected", { name: connection.name }), detail: message });
          onConnected(connection.id);
        },
      },
    );
  return (
    <PageSection
      title={t("connections.found")}
      action={again}
      intro={services.length === 0 && found.data ? t("connections.found.none") : undefined}
    >
      {found.error && (
        <ErrorState compact error={found.error} onRetry={() => void found.refetch()} />
      )}
      {services.length > 0 && (
        <List label={t("connections.found")}>
          {services.map((service) => (
            <ListRow
              key={service.take}
              start={<Avatar name={service.name} size={30} shape="square" />}
              title={service.name}
              detail={service.detail}
              end={
                <Button
                  size="small"
                  busy={connect.isPending && connect.variables.take === service.take}
                  disabled={connect.isPending}
                  onClick={() => take(service)}
                >
                  {t("connections.connect")}
                </Button>
              }
            />
          ))}
        </List>
      )}
      <ProviderProblem error={connect.error} />
    </PageSection>
  );
}
