import { useConnectionsView } from "../../components/connections/connections-view.tsx";
import { useSectionParts } from "../../frame/sectioned-screen.tsx";

/** The instance's connections. */
export function ConnectionsSection() {
  const { content, ...parts } = useConnectionsView("instance");
  useSectionParts(parts);
  return content;
}
