import { Navigate, useParams } from "@tanstack/react-router";
import { type ComponentType, lazy } from "react";
import { NotFoundScreen } from "../../frame/not-found-screen.tsx";
import { Part } from "../../ui/part.tsx";
import { type AdminSection, isAdminSection } from "./admin-frame.tsx";
import { PeopleSection } from "./people/people-section.tsx";

const ConnectionsSection = lazy(() =>
  import("./connections-section.tsx").then(({ ConnectionsSection }) => ({
    default: ConnectionsSection,
  })),
);

const BudgetsSection = lazy(() =>
  import("./budgets/budgets-section.tsx").then(({ BudgetsSection }) => ({
    default: BudgetsSection,
  })),
);

const KeysSection = lazy(() =>
  import("./keys-section.tsx").then(({ KeysSection }) => ({ default: KeysSection })),
);

const ModelsSection = lazy(() =>
  import("./models/models-section.tsx").then(({ ModelsSection }) => ({ default: ModelsSection })),
);

const AliasesSection = lazy(() =>
  import("./models/aliases-section.tsx").then(({ AliasesSection }) => ({
    default: AliasesSection,
  })),
);

const sections: Record<AdminSection, ComponentType> = {
  people: PeopleSection,
  connections: ConnectionsSection,
  models: ModelsSection,
  aliases: AliasesSection,
  keys: KeysSection,
  budgets: BudgetsSection,
};

/** What owners and admins look after, one section an address. */
export function AdminScreen() {
  const { section } = useParams({ strict: false });
  if (section === undefined)
    return <Navigate to="/admin/$section" params={{ section: "people" }} replace />;
  if (!isAdminSection(section)) return <NotFoundScreen />;
  const Section = sections[section];
  return (
    <Part>
      <Section />
    </Part>
  );
}
