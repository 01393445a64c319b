import { useQuery } from "@tanstack/react-query";
import { RotateCw, Search } from "lucide-react";
import { t } from "../../messages/t.ts";
import { PageSection } from "../../shell/page.tsx";
import { Avatar } from "../../ui/avatar.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { useToast } from "../../ui/toast.tsx";
import { Row, Rows } from "../rows/rows.tsx";
import {
  type FoundService,
  foundQuery,
  type ListedConnection,
  useConnect,
} from "./connections.queries.ts";
import { ProviderProblem } from "./provider-problem.tsx";

/** Whether something that was found is among the connections already. An address tells for sure; a key is known by the name it was taken with. */
export const isConnected = (
  service: FoundService,
  connections: readonly ListedConnection[],
): boolean =>
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
        <Rows label={t("connections.found")}>
          {services.map((service) => (
            <Row
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
        </Rows>
      )}
      <ProviderProblem error={connect.error} />
    </PageSection>
  );
}
