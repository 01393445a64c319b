import type { LucideIcon } from "lucide-react";
import {
  type ComponentType,
  createContext,
  type ReactNode,
  useContext,
  useLayoutEffect,
  useState,
} from "react";
import { type MessageId, t } from "../messages/t.ts";
import { Part } from "../ui/part.tsx";
import { PaneList, PaneRow, type PaneRowProps } from "./pane.tsx";
import { Screen } from "./screen.tsx";
import type { ScreenInspector } from "./screen-props.ts";

export type Sections<Name extends string> = Readonly<
  Record<Name, { title: MessageId; icon: LucideIcon; content: ComponentType }>
>;

export type SectionedScreenProps<Name extends string> = {
  title: string;
  /** The accessible name of the list of sections. */
  label: string;
  sections: Sections<Name>;
  section: Name;
  linkTo: (name: Name) => PaneRowProps["link"];
  children: ReactNode;
};

/** The parts that a section adds to the frame around it. */
type SectionParts = { actions?: ReactNode; inspector?: ScreenInspector };
const noParts: SectionParts = {};
const PlaceParts = createContext<(parts: SectionParts) => void>(() => undefined);

/**
 * Puts a section's actions into the header and its inspector next to the work, while the section is
 * shown.
 */
export function useSectionParts(parts: SectionParts): void {
  const place = useContext(PlaceParts);
  useLayoutEffect(() => place(parts));
  useLayoutEffect(() => () => place(noParts), [place]);
}

/** A screen whose pane lists its sections, with the current section's work next to it. */
export function SectionedScreen<Name extends string>({
  title,
  label,
  sections,
  section,
  linkTo,
  children,
}: SectionedScreenProps<Name>) {
  const [{ actions, inspector }, placeParts] = useState(noParts);
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
      <PlaceParts value={placeParts}>
        <Part key={section}>{children}</Part>
      </PlaceParts>
    </Screen>
  );
}
