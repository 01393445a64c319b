import { Link } from "@tanstack/react-router";
import { ArchiveX, HardDrive } from "lucide-react";
import { hasBackupTrouble, type StorageFacts } from "../../data/queries/storage.queries.ts";
import { t } from "../../messages/t.ts";
import { buttonClass } from "../../ui/controls/button.tsx";
import { NoticeCard } from "../../ui/display/notice-card.tsx";
import { Time } from "../../ui/display/time.tsx";

/**
 * For admins: the file storage fails, its files belong to another database, or backups are missing
 * or lack files.
 */
export function StorageCard({ storage: { files, trouble, backup } }: { storage: StorageFacts }) {
  const isCopy = trouble === null && files === "copy";
  return (
    <>
      {(trouble !== null || isCopy) && (
        <NoticeCard
          icon={HardDrive}
          tone="bad"
          title={t(isCopy ? "storage.copy" : "storage.trouble")}
          text={
            isCopy ? t("storage.copy.text") : t("storage.trouble.text", { trouble: trouble ?? "" })
          }
        />
      )}
      {hasBackupTrouble(backup) && (
        <NoticeCard
          icon={ArchiveX}
          tone="bad"
          title={t(`storage.backup.${backup.state}`)}
          text={
            <>
              {backup.lastError}{" "}
              {backup.state === "incomplete" ? null : backup.doneAt === null ? (
                t("storage.backup.none")
              ) : (
                <>
                  {t("storage.backup.last")} <Time at={backup.doneAt} />.
                </>
              )}
            </>
          }
        >
          <Link to="/admin/$section" params={{ section: "backups" }} className={buttonClass()}>
            {t("storage.backup.open")}
          </Link>
        </NoticeCard>
      )}
    </>
  );
}
