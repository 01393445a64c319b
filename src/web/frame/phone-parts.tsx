import { useLocation } from "@tanstack/react-router";
import { Menu, PanelRightOpen } from "lucide-react";
import { useEffect, useState } from "react";
import { useShellData } from "../data/shell-data.ts";
import { t } from "../messages/t.ts";
import { classes } from "../ui/classes.ts";
import { IconButton } from "../ui/controls/icon-button.tsx";
import { Segmented } from "../ui/controls/segmented.tsx";
import { Sheet } from "../ui/overlays/sheet.tsx";
import { RunningPill } from "./running-pill.tsx";
import styles from "./screen.module.css";
import type { PhoneTab, ScreenPane, ScreenProps } from "./screen-props.ts";

/** A phone's header line; a pane shown as a sheet opens from it. */
export function PhoneHeader({
  title,
  heading,
  back,
  actions,
  pane,
  inspector,
  isHeaderBare,
}: Omit<ScreenProps, "children">) {
  const { running } = useShellData();
  return (
    <header className={classes(styles.workHeader, isHeaderBare && styles.bare)}>
      {back ?? (pane && pane.phone !== "tab" && <PaneSheet title={title} pane={pane} />)}
      {isHeaderBare ? (
        <span className={styles.space} />
      ) : (
        <h1 className={styles.phoneH1}>{heading || title}</h1>
      )}
      <RunningPill runs={running} isShort={Boolean(actions || inspector)} />
      {actions && <div className={styles.actions}>{actions}</div>}
      {inspector && !inspector.isOpen && (
        <IconButton
          icon={PanelRightOpen}
          label={t("shell.inspector.open")}
          onClick={() => inspector.onOpenChange(true)}
        />
      )}
    </header>
  );
}

type PhoneTabsProps = {
  title: string;
  pane: ScreenPane;
  workTab?: string;
  tab: PhoneTab;
  onTabChange: (tab: PhoneTab) => void;
};

/** Tabs that switch between the pane and the work. */
export function PhoneTabs({ title, pane, workTab, tab, onTabChange }: PhoneTabsProps) {
  return (
    <div className={styles.phoneTabs}>
      <Segmented
        label={title}
        value={tab}
        onValueChange={onTabChange}
        options={[
          { value: "pane", label: pane.phoneTab ?? title },
          { value: "work", label: workTab ?? t("shell.running.all") },
        ]}
      />
    </div>
  );
}

/** The pane in place of the work. */
export function PhonePane({ pane }: { pane: ScreenPane }) {
  return (
    <div className={styles.phonePane}>
      <div className={styles.paneBody}>{pane.children}</div>
      {pane.footer && <div className={styles.paneFooter}>{pane.footer}</div>}
    </div>
  );
}

function PaneSheet({ title, pane }: { title: string; pane: ScreenPane }) {
  const [isOpen, setOpen] = useState(false);
  const { href } = useLocation();
  // A selection in the pane changes the address, and the person then wants to see the work.
  useEffect(() => setOpen(false), [href]);
  return (
    <>
      <IconButton
        icon={Menu}
        label={t("shell.pane.open")}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      />
      <Sheet side="left" title={title} open={isOpen} onOpenChange={setOpen} actions={pane.actions}>
        <div className={styles.paneBody}>{pane.children}</div>
        {pane.footer && <div className={styles.paneFooter}>{pane.footer}</div>}
      </Sheet>
    </>
  );
}
