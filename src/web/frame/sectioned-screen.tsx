import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { type MessageId, t } from "../messages/t.ts";
import { PaneList, PaneRow, type PaneRowProps } from "./pane.tsx";
import { Screen } from "./screen.tsx";
import type { ScreenInspector } from "./screen-props.ts";

export type Sections<Name extends string> = Readonly<
  Record<Name, { title: MessageId; icon: LucideIcon }>
>;

export type SectionedScreenProps<Name extends string> = {
  title: string;
  /** What the list of sections is called. */
  label: string;
  sections: Sections<Name>;
  section: Name;
  linkTo: (name: Name) => PaneRowProps["link"];
  actions?: ReactNode;
  inspector?: ScreenInspector;
  children: ReactNode;
};

/** A screen whose pane lists its sections, with one section's work beside it. */
export function SectionedScreen<Name extends string>({
  title,
  label,
  sections,
  section,
  linkTo,
  actions,
  inspector,
  children,
}: SectionedScreenProps<Name>) {
  const pane = (
    <PaneList label={label}>
      {(Object.keys(sections) as Name[]).map((name) => {
        const { title, icon: Icon } = sections[name];
        return (
          <PaneRow key={name} link={linkTo(name)} icon={<Icon key="icon" aria-hidden />}>
            {t(title)}
          </PaneRow>
        );
      })}
    </PaneList>
  );
  return (
    <Screen
      title={title}
      heading={t(sections[section].title)}
      pane={{ children: pane }}
      actions={actions}
      inspector={inspector}
    >
      {children}
    </Screen>
  );
}
