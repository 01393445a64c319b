import { useConnectionsView } from "../../components/connections/connections-view.tsx";
import { SettingsFrame } from "./settings-frame.tsx";

/** Connections of one's own, and those that the admins share. */
export function ConnectionsSection() {
  const { actions, inspector, content } = useConnectionsView("user");
  return (
    <SettingsFrame section="connections" actions={actions} inspector={inspector}>
      {content}
    </SettingsFrame>
  );
}
