import { Link } from "@tanstack/react-router";
import { Cable, KeyRound, type LucideIcon, Palette, UserRound } from "lucide-react";
import type { ReactNode } from "react";
import { type MessageId, t } from "../../messages/t.ts";
import { PaneList, PaneRow } from "../../shell/pane.tsx";
import { Screen, type ScreenInspector } from "../../shell/screen.tsx";

const sections = {
  profile: { title: "settings.profile", icon: UserRound },
  appearance: { title: "settings.appearance", icon: Palette },
  security: { title: "settings.security", icon: KeyRound },
  connections: { title: "settings.connections", icon: Cable },
} as const satisfies Record<string, { title: MessageId; icon: LucideIcon }>;

export type SettingsSection = keyof typeof sections;
export const isSettingsSection = (name: string): name is SettingsSection => Object.hasOwn(sections, name);
const names = Object.keys(sections) as SettingsSection[];

export type SettingsFrameProps = { section: SettingsSection; actions?: ReactNode; inspector?: ScreenInspector; children: ReactNode };

/** The pane of settings with one section's work beside it. */
export function SettingsFrame({ section, actions, inspector, children }: SettingsFrameProps) {
  const pane = (
    <PaneList label={t("settings.sections")}>
      {names.map((name) => {
        const { title, icon: Icon } = sections[name];
        return (
          <PaneRow key={name} link={<Link to="/settings/$section" params={{ section: name }} />} icon={<Icon key="icon" aria-hidden />}>
            {t(title)}
          </PaneRow>
        );
      })}
    </PaneList>
  );
  return (
    <Screen
      title={t("screen.settings")}
      heading={t(sections[section].title)}
      pane={{ children: pane }}
      actions={actions}
      inspector={inspector}
    >
      {children}
    </Screen>
  );
}
