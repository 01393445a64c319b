import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { toModelPath } from "../../data/model-ref.ts";
import type { Usage } from "../../data/queries/usage.queries.ts";
import { useSession } from "../../data/shell-data.ts";
import { PageSection } from "../../frame/page.tsx";
import { t } from "../../messages/t.ts";
import { Breakdown, type UsageKind, usageKinds } from "./breakdown.tsx";
import styles from "./usage.module.css";

type Named = Usage["projects"][number] & { connectionId?: string };

/** The cost by model, project, person and connection, and by key if any was used. */
export function Breakdowns({ usage }: { usage: Usage }) {
  const { projects } = useSession();
  const isMine = (id: string) => projects.some((project) => project.id === id);
  const connectionOf = new Map(usage.connections.map(({ id, name }) => [id, name]));
  const nameOf = (kind: UsageKind, row: Named): ReactNode => {
    if (kind === "models" && row.connectionId)
      return (
        <>
          <Link
            to="/models/$"
            params={{ _splat: toModelPath({ connectionId: row.connectionId, modelId: row.id }) }}
          >
            {row.name}
          </Link>
          <span className={styles.from}>{connectionOf.get(row.connectionId)}</span>
        </>
      );
    if (kind === "projects" && isMine(row.id))
      return (
        <Link to="/projects/$id" params={{ id: row.id }}>
          {row.name}
        </Link>
      );
    if (kind === "keys" && row.id === "others") return t("usage.othersKeys");
    if (row.id === "") return t(kind === "keys" ? "usage.keyless" : "usage.unnamed");
    return row.name || t("usage.removed");
  };
  return usageKinds.map((kind) =>
    kind === "keys" && usage.keys.length === 0 ? null : (
      <PageSection key={kind} title={t(`usage.${kind}`)} aside={usage[kind].length}>
        <Breakdown
          kind={kind}
          total={usage.total.micros}
          rows={usage[kind].map((row: Named) => ({
            ...row,
            key: `${row.connectionId ?? ""} ${row.id}`,
            shown: nameOf(kind, row),
          }))}
        />
      </PageSection>
    ),
  );
}
