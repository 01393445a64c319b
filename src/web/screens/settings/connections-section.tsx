import { useConnectionsView } from "../../components/connections/connections-view.tsx";
import { useSectionParts } from "../../frame/sectioned-screen.tsx";

/** The person's own connections, and shared ones. */
export function ConnectionsSection() {
  const { content, ...parts } = useConnectionsView("user");
  useSectionParts(parts);
  return content;
}
