import { WifiOff } from "lucide-react";
import { t } from "../messages/t.ts";
import styles from "./app-shell.module.css";

/** Says that the live line is down; announced once. The region stays, so that readers notice the words. */
export function OfflineBanner({ isOffline }: { isOffline: boolean }) {
  return (
    <div role="status">
      {isOffline && (
        <div className={styles.offline} data-offline>
          <WifiOff aria-hidden />
          {t("shell.offline")}
        </div>
      )}
    </div>
  );
}
