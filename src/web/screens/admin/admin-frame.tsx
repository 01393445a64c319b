import { Link } from "@tanstack/react-router";
import { Cable, type LucideIcon, Users } from "lucide-react";
import type { ReactNode } from "react";
import { type MessageId, t } from "../../messages/t.ts";
import { PaneList, PaneRow } from "../../shell/pane.tsx";
import { Screen, type ScreenInspector } from "../../shell/screen.tsx";

const sections = {
  people: { title: "admin.people", icon: Users },
  connections: { title: "admin.connections", icon: Cable },
} as const satisfies Record<string, { title: MessageId; icon: LucideIcon }>;

export type AdminSection = keyof typeof sections;
export const isAdminSection = (name: string): name is AdminSection => Object.hasOwn(sections, name);
const names = Object.keys(sections) as AdminSection[];

export type AdminFrameProps = { section: AdminSection; actions?: ReactNode; inspector?: ScreenInspector; children: ReactNode };

/** The pane of the admin's sections with one section's work beside it. */
export function AdminFrame({ section, actions, inspector, children }: AdminFrameProps) {
  const pane = (
    <PaneList label={t("admin.sections")}>
      {names.map((name) => {
        const { title, icon: Icon } = sections[name];
        return (
          <PaneRow key={name} link={<Link to="/admin/$section" params={{ section: name }} />} icon={<Icon key="icon" aria-hidden />}>
            {t(title)}
          </PaneRow>
        );
      })}
    </PaneList>
  );
  return (
    <Screen
      title={t("screen.admin")}
      heading={t(sections[section].title)}
      pane={{ children: pane }}
      actions={actions}
      inspector={inspector}
    >
      {children}
    </Screen>
  );
}
