import { useEffect, useState } from "react";
import { useStored } from "../data/kept/use-stored.ts";
import { classes } from "../ui/classes.ts";
import { Sheet } from "../ui/overlays/sheet.tsx";
import { useWidth } from "../ui/use-width.ts";
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
 * The frame of every screen inside the shell: pane, header line, work, inspector; on a phone one column, sheets and tabs. The work
 * stays the same element in all of them: turning a phone ends no recording, and forgets nothing that was typed in it, nor where
 * in it one was.
 */
export function Screen(props: ScreenProps) {
  const { title, heading, tools, pane, inspector, isSelfScrolling, workTab, tabState, children } =
    props;
  useDocumentTitle(heading || title);
  const width = useWidth();
  const isPhone = width === "phone";
  const [isPaneOpen, setPaneOpen] = useStored(`pane:${title}`, true);
  const ownTab = useState<PhoneTab>("pane");
  const [tab, setTab] = tabState ?? ownTab;
  const tabbed = isPhone && pane?.phone === "tab" ? pane : undefined;
  const isWorkShown = !tabbed || tab === "work";
  // Once it was seen it stays behind the pane's tab, laid out as it was; before, a phone that opens on the pane does without it.
  const [wasWorkShown, setWasWorkShown] = useState(isWorkShown);
  if (isWorkShown && !wasWorkShown) setWasWorkShown(true);
  return (
    <div className={styles.screen}>
      {!isPhone && pane && isPaneOpen && (
        <Pane title={title} pane={pane} onClose={() => setPaneOpen(false)} />
      )}
      <main id="main" tabIndex={-1} className={styles.work}>
        {isPhone ? (
          <PhoneHeader {...props} />
        ) : (
          <WideHeader {...props} isPaneOpen={isPaneOpen} onPaneOpen={() => setPaneOpen(true)} />
        )}
        {tabbed && (
          <PhoneTabs title={title} pane={tabbed} workTab={workTab} tab={tab} onTabChange={setTab} />
        )}
        {tabbed && !isWorkShown && <PhonePane pane={tabbed} />}
        {isPhone && isWorkShown && tools && <div className={styles.strip}>{tools}</div>}
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
