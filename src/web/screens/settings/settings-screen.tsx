import { Navigate, useParams } from "@tanstack/react-router";
import { type ComponentType, lazy } from "react";
import { NotFoundScreen } from "../../frame/not-found-screen.tsx";
import { Part } from "../../ui/part.tsx";
import { AppearanceSection } from "./appearance-section.tsx";
import { ProfileSection } from "./profile-section.tsx";
import { SecuritySection } from "./security-section.tsx";
import { isSettingsSection, type SettingsSection } from "./settings-frame.tsx";

const ConnectionsSection = lazy(() =>
  import("./connections-section.tsx").then(({ ConnectionsSection }) => ({
    default: ConnectionsSection,
  })),
);

const KeysSection = lazy(() =>
  import("./keys-section.tsx").then(({ KeysSection }) => ({ default: KeysSection })),
);

const sections: Record<SettingsSection, ComponentType> = {
  profile: ProfileSection,
  appearance: AppearanceSection,
  security: SecuritySection,
  keys: KeysSection,
  connections: ConnectionsSection,
};

/** One's own account, one section an address. */
export function SettingsScreen() {
  const { section } = useParams({ strict: false });
  if (section === undefined)
    return <Navigate to="/settings/$section" params={{ section: "profile" }} replace />;
  if (!isSettingsSection(section)) return <NotFoundScreen />;
  const Section = sections[section];
  return (
    <Part>
      <Section />
    </Part>
  );
}
