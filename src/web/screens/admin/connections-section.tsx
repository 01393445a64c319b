import { useConnectionsView } from "../../components/connections/connections-view.tsx";
import { AdminFrame } from "./admin-frame.tsx";

/** The instance's connections: everybody's. */
export function ConnectionsSection() {
  const { actions, inspector, content } = useConnectionsView("instance");
  return (
    <AdminFrame section="connections" actions={actions} inspector={inspector}>
      {content}
    </AdminFrame>
  );
}
