import { useLocation } from "@tanstack/react-router";
import { Menu, PanelRightOpen } from "lucide-react";
import { useEffect, useState } from "react";
import { t } from "../messages/t.ts";
import { classes } from "../ui/classes.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { Sheet } from "../ui/sheet.tsx";
import { RunningPill } from "./running-pill.tsx";
import styles from "./screen.module.css";
import type { PhoneTab, ScreenPane, ScreenProps } from "./screen.tsx";
import { useShellData } from "./shell-data.ts";

/** Screen on a phone: one column; the pane is a sheet or a tab, the inspector a sheet. */
export function PhoneScreen({
  title,
  heading,
  tools,
  actions,
  phoneActions,
  pane,
  inspector,
  isHeaderBare,
  isSelfScrolling,
  workTab,
  tabState,
  children,
}: ScreenProps) {
  const { running } = useShellData();
  const ownTab = useState<PhoneTab>("pane");
  const [tab, setTab] = tabState ?? ownTab;
  const shownActions = phoneActions === undefined ? actions : phoneActions;
  const hasTabs = pane?.phone === "tab";
  const shownPane = hasTabs && tab === "pane" ? pane : undefined;
  return (
    <main id="main" tabIndex={-1} className={styles.work}>
      <header className={classes(styles.workHeader, isHeaderBare && styles.bare)}>
        {pane && !hasTabs && <PaneSheet title={title} pane={pane} />}
        {isHeaderBare ? <span className={styles.space} /> : <h1 className={styles.phoneH1}>{heading || title}</h1>}
        <RunningPill runs={running} isShort={Boolean(shownActions || inspector)} />
        {shownActions && <div className={styles.actions}>{shownActions}</div>}
        {inspector && !inspector.isOpen && (
          <IconButton icon={PanelRightOpen} label={t("shell.inspector.open")} onClick={() => inspector.onOpenChange(true)} />
        )}
      </header>
      {hasTabs && (
        <div className={styles.phoneTabs}>
          <Segmented
            label={title}
            value={tab}
            onValueChange={setTab}
            options={[
              { value: "pane", label: pane.phoneTab ?? title },
              { value: "work", label: workTab ?? t("shell.running.all") },
            ]}
          />
        </div>
      )}
      {shownPane ? (
        <div className={styles.phonePane}>
          <div className={styles.paneBody}>{shownPane.children}</div>
          {shownPane.footer && (
            <div data-phone-foot className={styles.paneFooter}>
              {shownPane.footer}
            </div>
          )}
        </div>
      ) : (
        <>
          {tools && <div className={styles.strip}>{tools}</div>}
          <div className={classes(styles.content, !isSelfScrolling && styles.scrolls)}>{children}</div>
        </>
      )}
      {inspector && (
        <Sheet title={inspector.title} open={inspector.isOpen} onOpenChange={inspector.onOpenChange}>
          {inspector.children}
        </Sheet>
      )}
    </main>
  );
}

function PaneSheet({ title, pane }: { title: string; pane: ScreenPane }) {
  const [isOpen, setOpen] = useState(false);
  const { href } = useLocation();
  // Something was chosen in it: the work is what the person wants to see now.
  useEffect(() => setOpen(false), [href]);
  return (
    <>
      <IconButton icon={Menu} label={t("shell.pane.open")} aria-haspopup="dialog" aria-expanded={isOpen} onClick={() => setOpen(true)} />
      <Sheet side="left" title={title} open={isOpen} onOpenChange={setOpen} actions={pane.actions}>
        <div className={styles.paneBody}>{pane.children}</div>
        {pane.footer && <div className={styles.paneFooter}>{pane.footer}</div>}
      </Sheet>
    </>
  );
}
