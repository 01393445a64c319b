import { RotateCw, Search } from "lucide-react";
import type { ListedConnection } from "../../../data/queries/connections.queries.ts";
import { PageSection } from "../../../frame/page.tsx";
import { t } from "../../../messages/t.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import { List, ListRow } from "../../../ui/lists/list.tsx";
import { ProviderProblem } from "../provider-problem.tsx";
import { ServiceMark } from "./service-mark.tsx";
import { useFoundServices } from "./use-found-services.ts";

/** The services that the server detects, each with a connect button. */
export function FoundList({
  connections,
  onConnected,
  onPick,
}: {
  connections: readonly ListedConnection[];
  onConnected: (id: string) => void;
  /** Opens a kind's form. */
  onPick: (kind: string) => void;
}) {
  const { found, services, error, taking, take } = useFoundServices(connections, onConnected);
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
              start={<ServiceMark kind={service.kind} name={service.name} />}
              title={service.name}
              detail={service.detail}
              end={
                <Button
                  size="small"
                  busy={taking === service.take}
                  disabled={taking !== undefined}
                  onClick={() => (service.needsKey ? onPick(service.kind) : take(service))}
                >
                  {t(service.needsKey ? "connections.found.enterKey" : "connections.connect")}
                </Button>
              }
            />
          ))}
        </List>
      )}
      <ProviderProblem error={error} />
    </PageSection>
  );
}
