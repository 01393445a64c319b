import { WifiOff } from "lucide-react";
import type { ReactNode } from "react";
import { ViewerHost } from "../components/viewer/viewer-host.tsx";
import { ViewerListsProvider } from "../components/viewer/viewer-lists.tsx";
import { useShellData } from "../data/shell-data.ts";
import { t } from "../messages/t.ts";
import { classes } from "../ui/classes.ts";
import { lazyPart } from "../ui/lazy-part.ts";
import { loadOverlays } from "../ui/overlays/dialog.tsx";
import { loadToasts } from "../ui/overlays/toast.tsx";
import { AfterFirstPaint, OptionalPart, usePreload } from "../ui/part.tsx";
import { useWidth } from "../ui/use-width.ts";
import styles from "./app-shell.module.css";
import { BottomBar } from "./bottom-bar.tsx";
import { ShellCommands } from "./palette/shell-commands.tsx";
import { Rail } from "./rail.tsx";

const Notices = lazyPart(
  () => import("../components/notices/notices.tsx").then(({ Notices }) => Notices),
  "notices",
);

/**
 * The signed-in person's frame: rail or bar, running pill, palette, shortcuts. The screen is
 * inside.
 */
export function AppShell({ children }: { children: ReactNode }) {
  const { isOffline } = useShellData();
  const isPhone = useWidth() === "phone";
  usePreload(() =>
    Promise.all([loadOverlays(), import("../ui/overlays/menu-popup.tsx"), loadToasts()]),
  );
  return (
    <ViewerListsProvider>
      <div className={classes(styles.app, isPhone && styles.phone)}>
        <a href="#main" className={styles.skip}>
          {t("shell.skip")}
        </a>
        {!isPhone && <Rail />}
        <div className={styles.outlet}>
          {children}
          <OfflineBanner isOffline={isOffline} />
        </div>
        {isPhone && <BottomBar />}
        <ShellCommands />
        <ViewerHost />
        <AfterFirstPaint>
          <OptionalPart>
            <Notices />
          </OptionalPart>
        </AfterFirstPaint>
      </div>
    </ViewerListsProvider>
  );
}

/** The frame's placeholder until the session is known. */
export function BlankShell() {
  return (
    <div className={styles.app} role="status" aria-busy="true" aria-label={t("ui.loading")}>
      <div className={styles.blankRail} />
    </div>
  );
}

/**
 * Reports that the live connection is down, announced once. The region stays mounted, so that
 * screen readers notice its text.
 */
function OfflineBanner({ isOffline }: { isOffline: boolean }) {
  return (
    <div role="status">
      {isOffline && (
        <div className={styles.offline}>
          <WifiOff aria-hidden />
          {t("shell.offline")}
        </div>
      )}
    </div>
  );
}
