import { useQuery } from "@tanstack/react-query";
import { Link, Navigate, useParams } from "@tanstack/react-router";
import {
  Activity,
  Archive,
  Boxes,
  Cable,
  Folder,
  HardDrive,
  ListOrdered,
  ScrollText,
  SquareTerminal,
  Users,
  Wallet,
} from "lucide-react";
import { StorageCard } from "../../components/storage/storage-card.tsx";
import { needsAdmin, storageQuery } from "../../data/queries/storage.queries.ts";
import { NotFoundScreen } from "../../frame/not-found-screen.tsx";
import { SectionedScreen, type Sections } from "../../frame/sectioned-screen.tsx";
import { t } from "../../messages/t.ts";
import { lazyPart } from "../../ui/lazy-part.ts";
import { PeopleSection } from "./people/people-section.tsx";

const ConnectionsSection = lazyPart(() =>
  import("./connections-section.tsx").then(({ ConnectionsSection }) => ConnectionsSection),
);

const BudgetsSection = lazyPart(() =>
  import("./budgets/budgets-section.tsx").then(({ BudgetsSection }) => BudgetsSection),
);

const KeysSection = lazyPart(() =>
  import("./keys-section.tsx").then(({ KeysSection }) => KeysSection),
);

const ModelsSection = lazyPart(() =>
  import("./models/models-section.tsx").then(({ ModelsSection }) => ModelsSection),
);

const AliasesSection = lazyPart(() =>
  import("./models/aliases-section.tsx").then(({ AliasesSection }) => AliasesSection),
);

const StorageSection = lazyPart(() =>
  import("./operations/storage-section.tsx").then(({ StorageSection }) => StorageSection),
);

const BackupsSection = lazyPart(() =>
  import("./operations/backups-section.tsx").then(({ BackupsSection }) => BackupsSection),
);

const AuditSection = lazyPart(() =>
  import("./operations/audit-section.tsx").then(({ AuditSection }) => AuditSection),
);

const HealthSection = lazyPart(() =>
  import("./operations/health-section.tsx").then(({ HealthSection }) => HealthSection),
);

const ProjectsSection = lazyPart(
  () => import("./projects-section.tsx").then(({ ProjectsSection }) => ProjectsSection),
  "deletion",
);

const sections = {
  people: { title: "admin.people", icon: Users, content: PeopleSection },
  projects: { title: "admin.projects", icon: Folder, content: ProjectsSection },
  connections: { title: "admin.connections", icon: Cable, content: ConnectionsSection },
  models: { title: "admin.models", icon: Boxes, content: ModelsSection },
  aliases: { title: "admin.aliases", icon: ListOrdered, content: AliasesSection },
  keys: { title: "admin.keys", icon: SquareTerminal, content: KeysSection },
  budgets: { title: "admin.budgets", icon: Wallet, content: BudgetsSection },
  storage: { title: "admin.storageUse", icon: HardDrive, content: StorageSection },
  backups: { title: "admin.backups", icon: Archive, content: BackupsSection },
  audit: { title: "admin.audit", icon: ScrollText, content: AuditSection },
  health: { title: "admin.health", icon: Activity, content: HealthSection },
} as const satisfies Sections<string>;

const isSection = (name: string): name is keyof typeof sections => Object.hasOwn(sections, name);

/** The admin sections, each with its own address, below a card for storage problems. */
export function AdminScreen() {
  const { section } = useParams({ strict: false });
  const storage = useQuery(storageQuery).data;
  if (section === undefined)
    return <Navigate to="/admin/$section" params={{ section: "people" }} replace />;
  if (!isSection(section)) return <NotFoundScreen />;
  const { content: Section } = sections[section];
  return (
    <SectionedScreen
      title={t("screen.admin")}
      label={t("admin.sections")}
      sections={sections}
      section={section}
      linkTo={(name) => <Link to="/admin/$section" params={{ section: name }} />}
    >
      {storage && needsAdmin(storage) && <StorageCard storage={storage} />}
      <Section />
    </SectionedScreen>
  );
}
