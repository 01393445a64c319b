import { useEffect, useState } from "react";
import { useStored } from "../data/saved/use-stored.ts";
import { classes } from "../ui/classes.ts";
import { Sheet } from "../ui/overlays/sheet.tsx";
import { useWidth } from "../ui/use-width.ts";
import { useMovable } from "./movable.tsx";
import { PhoneHeader, PhonePane, PhoneTabs } from "./phone-parts.tsx";
import styles from "./screen.module.css";
import type { PhoneTab, ScreenProps } from "./screen-props.ts";
import { Inspector, Pane, WideHeader } from "./wide-parts.tsx";

const programName = "Bottega";

function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = title === programName ? title : `${title} · ${programName}`;
  }, [title]);
}

/**
 * The frame of every screen inside the shell: pane, header, work and inspector; on a phone one
 * column with sheets and tabs. The work, tools and actions stay mounted in every layout, so
 * rotating a phone ends no recording, closes no dialog of theirs, and keeps the work's typed text
 * and scroll positions.
 */
export function Screen(props: ScreenProps) {
  const { title, heading, pane, inspector, isSelfScrolling, workTab, tabState, children } = props;
  useDocumentTitle(heading || title);
  const width = useWidth();
  const isPhone = width === "phone";
  const [isPaneOpen, setPaneOpen] = useStored(`pane:${title}`, true);
  const ownTab = useState<PhoneTab>("pane");
  const [tab, setTab] = tabState ?? ownTab;
  const tabbed = isPhone && pane?.phone === "tab" ? pane : undefined;
  const isWorkShown = !tabbed || tab === "work";
  // After its first display the work stays laid out behind the pane's tab; a phone that opens on
  // the pane doesn't render it before.
  const [wasWorkShown, setWasWorkShown] = useState(isWorkShown);
  if (isWorkShown && !wasWorkShown) setWasWorkShown(true);
  const tools = useMovable((!isPhone || isWorkShown) && props.tools);
  const { phoneActions = props.actions } = props;
  const actions = useMovable(isPhone ? phoneActions : props.actions);
  const header = { ...props, tools: tools.place, actions: actions.place };
  return (
    <div className={styles.screen}>
      {!isPhone && pane && isPaneOpen && (
        <Pane title={title} pane={pane} onClose={() => setPaneOpen(false)} />
      )}
      <main id="main" tabIndex={-1} className={styles.work}>
        {tools.content}
        {actions.content}
        {isPhone ? (
          <PhoneHeader {...header} />
        ) : (
          <WideHeader {...header} isPaneOpen={isPaneOpen} onPaneOpen={() => setPaneOpen(true)} />
        )}
        {tabbed && (
          <PhoneTabs title={title} pane={tabbed} workTab={workTab} tab={tab} onTabChange={setTab} />
        )}
        {tabbed && !isWorkShown && <PhonePane pane={tabbed} />}
        {isPhone && tools.place && <div className={styles.strip}>{tools.place}</div>}
        {wasWorkShown && (
          <div
            className={classes(
              styles.content,
              !isSelfScrolling && styles.scrolls,
              !isWorkShown && styles.behind,
            )}
            inert={!isWorkShown || undefined}
          >
            {children}
          </div>
        )}
      </main>
      {inspector && width === "wide" && inspector.isOpen && <Inspector {...inspector} />}
      {inspector && width !== "wide" && (
        <Sheet
          side={isPhone ? "bottom" : "right"}
          title={inspector.title}
          open={inspector.isOpen}
          onOpenChange={inspector.onOpenChange}
        >
          {inspector.children}
        </Sheet>
      )}
    </div>
  );
}
