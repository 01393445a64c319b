import { useViewerList } from "../../components/viewer/viewer-lists.tsx";
import { t } from "../../messages/t.ts";
import { Skeleton } from "../../ui/display/skeleton.tsx";
import styles from "./home.module.css";

/** A placeholder for the latest work until it and its code load. */
export function RecentWorkSkeleton() {
  useViewerList("coming");
  return (
    <section className={styles.section} aria-busy="true" aria-label={t("ui.loading")}>
      <h2 className={styles.title}>{t("home.recent")}</h2>
      <div className={styles.skeletons}>
        {[1.4, 1.3, 0.7, 1, 1.8].map((ratio) => (
          <div key={ratio} style={{ flex: ratio }}>
            <Skeleton height="100%" radius={5} />
          </div>
        ))}
      </div>
    </section>
  );
}
