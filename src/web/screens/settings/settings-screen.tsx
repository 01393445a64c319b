import { Link, Navigate, useParams } from "@tanstack/react-router";
import {
  Bell,
  Cable,
  KeyRound,
  Palette,
  SlidersHorizontal,
  SquareTerminal,
  UserRound,
} from "lucide-react";
import { NotFoundScreen } from "../../frame/not-found-screen.tsx";
import { SectionedScreen, type Sections } from "../../frame/sectioned-screen.tsx";
import { t } from "../../messages/t.ts";
import { lazyPart } from "../../ui/lazy-part.ts";
import { AppearanceSection } from "./appearance-section.tsx";
import { ProfileSection } from "./profile-section.tsx";
import { SecuritySection } from "./security-section.tsx";

const ConnectionsSection = lazyPart(() =>
  import("./connections-section.tsx").then(({ ConnectionsSection }) => ConnectionsSection),
);

const DefaultsSection = lazyPart(() =>
  import("./defaults-section.tsx").then(({ DefaultsSection }) => DefaultsSection),
);

const NoticesSection = lazyPart(() =>
  import("./notices-section.tsx").then(({ NoticesSection }) => NoticesSection),
);

const KeysSection = lazyPart(() =>
  import("./keys-section.tsx").then(({ KeysSection }) => KeysSection),
);

const sections = {
  profile: { title: "settings.profile", icon: UserRound, content: ProfileSection },
  appearance: { title: "settings.appearance", icon: Palette, content: AppearanceSection },
  defaults: { title: "settings.defaults", icon: SlidersHorizontal, content: DefaultsSection },
  notices: { title: "settings.notices", icon: Bell, content: NoticesSection },
  security: { title: "settings.security", icon: KeyRound, content: SecuritySection },
  keys: { title: "settings.keys", icon: SquareTerminal, content: KeysSection },
  connections: { title: "settings.connections", icon: Cable, content: ConnectionsSection },
} as const satisfies Sections<string>;

const isSection = (name: string): name is keyof typeof sections => Object.hasOwn(sections, name);

/** The person's settings, each section with its own address. */
export function SettingsScreen() {
  const { section } = useParams({ strict: false });
  if (section === undefined)
    return <Navigate to="/settings/$section" params={{ section: "profile" }} replace />;
  if (!isSection(section)) return <NotFoundScreen />;
  const { content: Section } = sections[section];
  return (
    <SectionedScreen
      title={t("screen.settings")}
      label={t("settings.sections")}
      sections={sections}
      section={section}
      linkTo={(name) => <Link to="/settings/$section" params={{ section: name }} />}
    >
      <Section />
    </SectionedScreen>
  );
}
