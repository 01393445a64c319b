import { HardDrive } from "lucide-react";
import { t } from "../../messages/t.ts";
import styles from "./home.module.css";
import type { StorageFacts } from "./home.queries.ts";

/** The file storage does not work, or its files belong to another database: for admins, who can do something about it. */
export function StorageCard({ storage }: { storage: StorageFacts }) {
  return (
    <article className={styles.card}>
      <HardDrive aria-hidden className={styles.bad} />
      <div className={styles.cardWords}>
        <h3 className={styles.cardTitle}>{t(storage.trouble === null ? "home.needs.files" : "home.needs.storage")}</h3>
        <p className={styles.cardText}>{storage.trouble ?? t("home.needs.files.text")}</p>
      </div>
    </article>
  );
}
