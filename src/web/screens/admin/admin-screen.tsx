import { Navigate, useParams } from "@tanstack/react-router";
import { NotFoundScreen } from "../../shell/not-found-screen.tsx";
import { type AdminSection, isAdminSection } from "./admin-frame.tsx";
import { BudgetsSection } from "./budgets-section.tsx";
import { ConnectionsSection } from "./connections-section.tsx";
import { PeopleSection } from "./people-section.tsx";

const sections: Record<AdminSection, () => React.ReactNode> = {
  people: PeopleSection,
  connections: ConnectionsSection,
  budgets: BudgetsSection,
};

/** What owners and admins look after, one section an address. */
export function AdminScreen() {
  const { section } = useParams({ strict: false });
  if (section === undefined) return <Navigate to="/admin/$section" params={{ section: "people" }} replace />;
  if (!isAdminSection(section)) return <NotFoundScreen />;
  const Section = sections[section];
  return <Section />;
}
