import { HardDrive } from "lucide-react";
import type { StorageFacts } from "../../data/queries/storage.queries.ts";
import { t } from "../../messages/t.ts";
import styles from "./storage.module.css";

/** For admins: the file storage fails, or its files belong to another database. */
export function StorageCard({ storage }: { storage: StorageFacts }) {
  return (
    <article className={styles.card}>
      <HardDrive aria-hidden />
      <div>
        <h3 className={styles.title}>
          {t(storage.trouble === null ? "storage.copy" : "storage.trouble")}
        </h3>
        <p className={styles.text}>{storage.trouble ?? t("storage.copy.text")}</p>
      </div>
    </article>
  );
}
