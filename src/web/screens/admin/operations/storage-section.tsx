import { useQuery } from "@tanstack/react-query";
import { HardDrive } from "lucide-react";
import { StorageLimits } from "../../../components/storage/storage-limits.tsx";
import {
  type StorageUse,
  storageUseQuery,
} from "../../../data/queries/admin/operations.queries.ts";
import { storageQuery } from "../../../data/queries/storage.queries.ts";
import { PageColumn, PageSection } from "../../../frame/page.tsx";
import { formatBytes, formatCount, formatShare } from "../../../messages/format.ts";
import { type MessageId, t } from "../../../messages/t.ts";
import { classes } from "../../../ui/classes.ts";
import { EmptyState } from "../../../ui/display/empty-state.tsx";
import { NoticeCard } from "../../../ui/display/notice-card.tsx";
import { Sums } from "../../../ui/display/sums.tsx";
import { ListState } from "../../../ui/lists/list-state.tsx";
import { Table } from "../../../ui/lists/table.tsx";
import styles from "./operations.module.css";

/**
 * The stored files by owner and age, the space that can be freed, and each person's and project's
 * limit.
 */
export function StorageSection() {
  const use = useQuery(storageUseQuery);
  const limits = useQuery(storageQuery).data?.limits;
  return (
    <PageColumn>
      <ListState query={use} rows={6} />
      {use.data && !use.error && <Use use={use.data} />}
      {limits && <StorageLimits limits={limits} />}
    </PageColumn>
  );
}

function Use({ use }: { use: StorageUse }) {
  const { stored, trash, unneeded, freeBytes } = use;
  return (
    <>
      {use.isDiskLow && freeBytes !== null && (
        <div className={styles.notice}>
          <NoticeCard
            icon={HardDrive}
            tone="warn"
            title={t("storageUse.low")}
            text={t("storageUse.low.text", { free: formatBytes(freeBytes) })}
          />
        </div>
      )}
      <PageSection title={t("storageUse.title")}>
        <Sums
          sums={[
            {
              name: t("storageUse.stored"),
              value: formatBytes(stored.bytes),
              detail: t("storageUse.stored.detail", { files: stored.files }),
            },
            { name: t("storageUse.database"), value: formatBytes(use.databaseBytes) },
            {
              name: t("storageUse.free"),
              value: freeBytes === null ? t("storageUse.free.unknown") : formatBytes(freeBytes),
              detail: freeBytes === null && t("storageUse.free.bucket"),
            },
            {
              name: t("storageUse.trash"),
              value: formatBytes(trash.bytes),
              detail: t("storageUse.trash.detail", { files: trash.files }),
            },
            ...(unneeded.files > 0
              ? [
                  {
                    name: t("storageUse.unneeded"),
                    value: formatBytes(unneeded.bytes),
                    detail: t("storageUse.unneeded.detail"),
                  },
                ]
              : []),
          ]}
        />
      </PageSection>
      {stored.files === 0 ? (
        <EmptyState icon={HardDrive} title={t("storageUse.empty")}>
          {t("storageUse.empty.text")}
        </EmptyState>
      ) : (
        <>
          <p className={classes(styles.intro, styles.counts)}>{t("storageUse.intro")}</p>
          <Shares
            of="projects"
            rows={use.projects.map(({ id, name, ...sum }) => ({
              key: id,
              name: id === "" ? t("storageUse.others") : name,
              ...sum,
            }))}
          />
          <Shares
            of="people"
            rows={use.people.map(({ id, name, ...sum }) => ({
              key: id,
              name: id === "" ? t("storageUse.others") : name || t("storageUse.deleted"),
              ...sum,
            }))}
          />
          <Shares
            of="kinds"
            rows={use.kinds.map(({ kind, ...sum }) => ({
              key: kind,
              name: t(`asset.kind.${kind}` as MessageId),
              ...sum,
            }))}
          />
          <Shares
            of="ages"
            rows={use.ages.map(({ days, ...sum }) => ({
              key: String(days),
              name: t(`storageUse.age.${days ?? "older"}` as MessageId),
              ...sum,
            }))}
          />
        </>
      )}
    </>
  );
}

type Share = { key: string; name: string; files: number; bytes: number };

/** The files divided by one criterion, with each part's share. */
function Shares({ of, rows }: { of: "projects" | "people" | "kinds" | "ages"; rows: Share[] }) {
  const total = rows.reduce((sum, { bytes }) => sum + bytes, 0);
  return (
    <PageSection title={t(`storageUse.${of}`)}>
      <Table label={t(`storageUse.${of}`)} kind="figures" className={styles.shares}>
        <thead>
          <tr>
            <th scope="col">{t(`storageUse.name.${of}`)}</th>
            <th scope="col">{t("storageUse.size")}</th>
            <th scope="col">{t("storageUse.share")}</th>
            <th scope="col">{t("storageUse.stored")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, name, files, bytes }) => (
            <tr key={key}>
              <th scope="row">{name}</th>
              <td>{formatBytes(bytes)}</td>
              <td className={styles.share}>
                <span
                  aria-hidden
                  className={styles.bar}
                  // A bar of less than a pixel would be a speck.
                  style={{
                    width: total > 0 && bytes / total >= 0.005 ? `${(bytes / total) * 100}%` : 0,
                  }}
                />
                {total > 0 ? formatShare(bytes / total) : "–"}
              </td>
              <td>{formatCount(files)}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </PageSection>
  );
}
