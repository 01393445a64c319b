import { Link } from "@tanstack/react-router";
import { Cable, KeyRound, Palette, SquareTerminal, UserRound } from "lucide-react";
import type { ReactNode } from "react";
import type { ScreenInspector } from "../../frame/screen-props.ts";
import { SectionedScreen, type Sections } from "../../frame/sectioned-screen.tsx";
import { t } from "../../messages/t.ts";

const sections = {
  profile: { title: "settings.profile", icon: UserRound },
  appearance: { title: "settings.appearance", icon: Palette },
  security: { title: "settings.security", icon: KeyRound },
  keys: { title: "settings.keys", icon: SquareTerminal },
  connections: { title: "settings.connections", icon: Cable },
} as const satisfies Sections<string>;

export type SettingsSection = keyof typeof sections;
export const isSettingsSection = (name: string): name is SettingsSection =>
  Object.hasOwn(sections, name);

export type SettingsFrameProps = {
  section: SettingsSection;
  actions?: ReactNode;
  inspector?: ScreenInspector;
  children: ReactNode;
};

/** The pane of settings with one section's work beside it. */
export function SettingsFrame(props: SettingsFrameProps) {
  return (
    <SectionedScreen
      {...props}
      title={t("screen.settings")}
      label={t("settings.sections")}
      sections={sections}
      linkTo={(name) => <Link to="/settings/$section" params={{ section: name }} />}
    />
  );
}
