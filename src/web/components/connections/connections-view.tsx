import { useQuery } from "@tanstack/react-query";
import { Cable, Plus } from "lucide-react";
import type { ReactNode } from "react";
import { connectionsQuery, kindsQuery } from "../../data/queries/shared.queries.ts";
import { ActionButton } from "../../frame/action-button.tsx";
import { PageColumn, PageSection } from "../../frame/page.tsx";
import type { ScreenInspector } from "../../frame/screen-props.ts";
import { t } from "../../messages/t.ts";
import { EmptyState } from "../../ui/display/empty-state.tsx";
import { ErrorState } from "../../ui/display/error-state.tsx";
import { ListSkeleton } from "../../ui/lists/list.tsx";
import { FoundList } from "./add/found-list.tsx";
import { ConnectionList } from "./connection-list.tsx";
import styles from "./connections.module.css";
import { LostSignIn } from "./sign-in-notice.tsx";
import { useConnectionsAddress } from "./use-connections-address.tsx";

/**
 * A screen's connection parts: the header's action, the content, and the inspector of the
 * connection in the address.
 */
export type ConnectionsView = {
  actions: ReactNode;
  inspector: ScreenInspector | undefined;
  content: ReactNode;
};

/** The instance's or the person's connections, for the screen that frames them. */
export function useConnectionsView(scope: "instance" | "user"): ConnectionsView {
  const kinds = useQuery(kindsQuery);
  const list = useQuery(connectionsQuery);
  const all = list.data?.connections ?? [];
  const mayAdd = scope === "instance" || list.data?.mayAdd !== false;
  const managed = all.filter((connection) => connection.scope === scope);
  const shared = scope === "user" ? all.filter((connection) => connection.scope !== "user") : [];
  const error = list.error ?? kinds.error;
  const { lists, beginAdding, addKind, dialog, inspector } = useConnectionsAddress({
    place: { scope },
    connections: all,
    kinds: kinds.data,
    mayAdd,
  });

  const add = mayAdd && (
    <ActionButton action="connections.add" variant="primary" icon={Plus} onClick={beginAdding}>
      {t("connections.add")}
    </ActionButton>
  );
  const isEmpty = !error && list.data !== undefined && managed.length === 0;
  const content = (
    <PageColumn>
      <div className={styles.first}>
        {list.data && !inspector && <LostSignIn />}
        <p className={styles.note}>
          {t(
            !mayAdd
              ? "connections.intro.closed"
              : scope === "instance"
                ? "connections.intro.instance"
                : "connections.intro.user",
          )}
        </p>
        {error ? (
          <ErrorState
            error={error}
            onRetry={() => void Promise.all([list.refetch(), kinds.refetch()])}
          />
        ) : list.isPending || kinds.isPending ? (
          <ListSkeleton label={t("ui.loading")} />
        ) : managed.length === 0 ? (
          <EmptyState icon={Cable} title={t("connections.empty")} action={add}>
            {mayAdd ? t("connections.empty.text") : t("connections.empty.closed")}
          </EmptyState>
        ) : (
          <ConnectionList label={t("connections.title")} connections={managed} {...lists} />
        )}
      </div>
      {scope === "instance" && !error && list.data && (
        <FoundList connections={all} onConnected={lists.onOpen} onPick={addKind} />
      )}
      {shared.length > 0 && (
        <PageSection title={t("connections.shared")} intro={t("connections.shared.intro")}>
          <ConnectionList label={t("connections.shared")} connections={shared} {...lists} />
        </PageSection>
      )}
      {dialog}
    </PageColumn>
  );
  // The empty state has the same button, and a view has only one primary action.
  return { actions: isEmpty ? null : add, inspector, content };
}
