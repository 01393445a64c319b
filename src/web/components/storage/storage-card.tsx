import { HardDrive } from "lucide-react";
import type { StorageFacts } from "../../data/queries/storage.queries.ts";
import { t } from "../../messages/t.ts";
import { NoticeCard } from "../../ui/display/notice-card.tsx";

/** For admins: the file storage fails, or its files belong to another database. */
export function StorageCard({ storage: { trouble } }: { storage: StorageFacts }) {
  return (
    <NoticeCard
      icon={HardDrive}
      tone="bad"
      title={t(trouble === null ? "storage.copy" : "storage.trouble")}
      text={trouble === null ? t("storage.copy.text") : t("storage.trouble.text", { trouble })}
    />
  );
}
