import { useQuery } from "@tanstack/react-query";
import {
  Archive,
  Cable,
  CircleAlert,
  CircleCheck,
  Clock,
  Cpu,
  Database,
  Disc,
  HardDrive,
  ListOrdered,
  type LucideIcon,
  TriangleAlert,
  Webhook,
} from "lucide-react";
import type { HealthCheck } from "#contract/schemas/admin/operations.ts";
import { type Health, healthQuery } from "../../../data/queries/admin/operations.queries.ts";
import { PageColumn, PageSection } from "../../../frame/page.tsx";
import { formatBytes, formatExact } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { Badge, type BadgeTone } from "../../../ui/display/badge.tsx";
import { List, ListRow } from "../../../ui/lists/list.tsx";
import { ListState } from "../../../ui/lists/list-state.tsx";

const icons: Record<HealthCheck, LucideIcon> = {
  database: Database,
  storage: HardDrive,
  disk: Disc,
  servers: Cpu,
  queue: ListOrdered,
  upkeep: Clock,
  connections: Cable,
  webhooks: Webhook,
  backup: Archive,
};
const marks: Record<Health["state"], { tone: BadgeTone; icon: LucideIcon }> = {
  ok: { tone: "ok", icon: CircleCheck },
  warn: { tone: "warn", icon: TriangleAlert },
  bad: { tone: "bad", icon: CircleAlert },
};

/** The server's components and their health. */
export function HealthSection() {
  const health = useQuery(healthQuery);
  const data = health.error ? undefined : health.data;
  return (
    <PageColumn>
      <ListState query={health} rows={8} />
      {data && (
        <PageSection
          title={t(`health.${data.state}`)}
          aside={t("health.version", { version: data.version })}
        >
          <List label={t("health.title")}>
            {(Object.keys(icons) as HealthCheck[]).map((check) => {
              const Icon = icons[check];
              const state = data.checks[check];
              return (
                <ListRow
                  key={check}
                  start={<Icon aria-hidden />}
                  title={t(`health.${check}`)}
                  detail={detailOf(check, data)}
                  end={<Badge {...marks[state]}>{t(`health.state.${state}`)}</Badge>}
                />
              );
            })}
          </List>
        </PageSection>
      )}
    </PageColumn>
  );
}

function detailOf(check: HealthCheck, health: Health): string {
  const { database, storage, servers, runs, upkeep, connections, webhooks } = health;
  switch (check) {
    case "database":
      return t(`health.database.${database.engine}`, { size: formatBytes(database.bytes) });
    case "storage":
      if (storage.trouble !== null) return storage.trouble;
      return storage.files === "copy" ? t("storage.copy") : t(`health.storage.${storage.files}`);
    case "disk":
      return storage.freeBytes === null
        ? t("health.disk.elsewhere")
        : t("health.disk.free", { free: formatBytes(storage.freeBytes) });
    case "servers":
      return t("health.servers.detail", {
        count: servers.length,
        hosts: servers.map(({ host }) => host).join(", "),
      });
    case "queue": {
      const counts = [
        t("health.queue.detail", { active: runs.active, queued: runs.queued }),
        runs.oldestQueuedAt !== null &&
          t("health.queue.oldest", { when: formatExact(runs.oldestQueuedAt) }),
        runs.needApproval > 0 && t("health.queue.approval", { count: runs.needApproval }),
        runs.unconfirmed > 0 && t("health.queue.unconfirmed", { count: runs.unconfirmed }),
      ]
        .filter(Boolean)
        .join(", ");
      return runs.stalledSince === null ? counts : `${t("health.queue.stalled")} ${counts}.`;
    }
    case "upkeep":
      if (upkeep.lastError !== null) return t("health.upkeep.failed", { error: upkeep.lastError });
      if (upkeep.dueAt === null) return t("health.upkeep.first");
      return t(health.checks.upkeep === "ok" ? "health.upkeep.next" : "health.upkeep.late");
    case "connections":
      return [
        connections.failing.length > 0
          ? t("health.connections.failing", {
              names: connections.failing.map(({ name }) => name).join(", "),
            })
          : t("health.connections.ok"),
        connections.others > 0 && t("health.connections.others", { count: connections.others }),
      ]
        .filter(Boolean)
        .join(" ");
    case "webhooks":
      return (
        (["failing", "paused"] as const)
          .filter((state) => webhooks[state] > 0)
          .map((state) => t(`health.webhooks.${state}`, { count: webhooks[state] }))
          .join(" ") || t("health.webhooks.ok")
      );
    case "backup": {
      const { state, doneAt, isUnderWay, lastError } = health.backup;
      if (isUnderWay) return t("health.backup.underWay");
      if (state === "off") return t("health.backup.off");
      const last =
        doneAt === null
          ? t("health.backup.none")
          : t("health.backup.ok", { when: formatExact(doneAt) });
      return lastError === null ? last : `${lastError} ${last}`;
    }
  }
}
