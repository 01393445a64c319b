import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Boxes, Cable, ListOrdered, SquareTerminal, Users, Wallet } from "lucide-react";
import type { ReactNode } from "react";
import { StorageCard } from "../../components/storage/storage-card.tsx";
import { needsAdmin, storageQuery } from "../../data/queries/storage.queries.ts";
import type { ScreenInspector } from "../../frame/screen-props.ts";
import { SectionedScreen, type Sections } from "../../frame/sectioned-screen.tsx";
import { t } from "../../messages/t.ts";

const sections = {
  people: { title: "admin.people", icon: Users },
  connections: { title: "admin.connections", icon: Cable },
  models: { title: "admin.models", icon: Boxes },
  aliases: { title: "admin.aliases", icon: ListOrdered },
  keys: { title: "admin.keys", icon: SquareTerminal },
  budgets: { title: "admin.budgets", icon: Wallet },
} as const satisfies Sections<string>;

export type AdminSection = keyof typeof sections;
export const isAdminSection = (name: string): name is AdminSection => Object.hasOwn(sections, name);

export type AdminFrameProps = {
  section: AdminSection;
  actions?: ReactNode;
  inspector?: ScreenInspector;
  children: ReactNode;
};

/** The pane of the admin's sections with one section's work beside it; above that what the file storage lacks. */
export function AdminFrame({ children, ...props }: AdminFrameProps) {
  const storage = useQuery(storageQuery).data;
  return (
    <SectionedScreen
      {...props}
      title={t("screen.admin")}
      label={t("admin.sections")}
      sections={sections}
      linkTo={(name) => <Link to="/admin/$section" params={{ section: name }} />}
    >
      {storage && needsAdmin(storage) && <StorageCard storage={storage} />}
      {children}
    </SectionedScreen>
  );
}
