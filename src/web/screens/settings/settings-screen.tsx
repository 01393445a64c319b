import { Navigate, useParams } from "@tanstack/react-router";
import { NotFoundScreen } from "../../shell/not-found-screen.tsx";
import { AppearanceSection } from "./appearance-section.tsx";
import { ConnectionsSection } from "./connections-section.tsx";
import { ProfileSection } from "./profile-section.tsx";
import { SecuritySection } from "./security-section.tsx";
import { isSettingsSection, type SettingsSection } from "./settings-frame.tsx";

const sections: Record<SettingsSection, () => React.ReactNode> = {
  profile: ProfileSection,
  appearance: AppearanceSection,
  security: SecuritySection,
  connections: ConnectionsSection,
};

/** One's own account, one section an address. */
export function SettingsScreen() {
  const { section } = useParams({ strict: false });
  if (section === undefined) return <Navigate to="/settings/$section" params={{ section: "profile" }} replace />;
  if (!isSettingsSection(section)) return <NotFoundScreen />;
  const Section = sections[section];
  return <Section />;
}
