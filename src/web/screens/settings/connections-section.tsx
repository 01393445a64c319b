import { useConnectionsView } from "../../components/connections/connections-view.tsx";
import { useSectionParts } from "../../frame/sectioned-screen.tsx";

/** Connections of one's own, and those that the admins share. */
export function ConnectionsSection() {
  const { content, ...parts } = useConnectionsView("user");
  useSectionParts(parts);
  return content;
}
