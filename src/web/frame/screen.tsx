import { type ReactNode, useEffect, useState } from "react";
import { useStored } from "../data/kept/use-stored.ts";
import { classes } from "../ui/classes.ts";
import { Sheet } from "../ui/overlays/sheet.tsx";
import { useWidth } from "../ui/use-width.ts";
import { PhoneHeader, PhonePane, PhoneTabs } from "./phone-parts.tsx";
import styles from "./screen.module.css";
import { Inspector, Pane, WideHeader } from "./wide-parts.tsx";

/** The pane beside the rail: what the section is made of. */
export type ScreenPane = {
  /** 248 px for lists, 348 px for Create's form. */
  width?: "list" | "form";
  /** Icon buttons at the right of its title. */
  actions?: ReactNode;
  children: ReactNode;
  /** Stays at its foot while the rest scrolls: the form's main button. */
  footer?: ReactNode;
  /** On a phone: a sheet behind a menu button, or a tab beside the work, named `phoneTab`. */
  phone?: "sheet" | "tab";
  phoneTab?: string;
};

/** The panel at the right: recipe, run or settings of what is selected. Its state belongs into the address. */
export type ScreenInspector = {
  title: string;
  isOpen: boolean;
  onOpenChange: (open: boolean) => void;
  children: ReactNode;
};

export type PhoneTab = "pane" | "work";

export type ScreenProps = {
  /** The section's name: the h1 over the pane, and in the window's title. */
  title: string;
  /** What is open in it: a conversation's title, an asset's name. Becomes the h1 on a phone. */
  heading?: string;
  /** Before the heading: the way back to the list. */
  back?: ReactNode;
  /** In the header after the heading: search, filters as chips. On a phone a line of its own. */
  tools?: ReactNode;
  /** In the header at the right of what runs: the main action. */
  actions?: ReactNode;
  /** In their place on a phone, where there is room for one or two icon buttons. */
  phoneActions?: ReactNode;
  pane?: ScreenPane;
  inspector?: ScreenInspector;
  /** No line under the header, as on Home. */
  isHeaderBare?: boolean;
  /** The children scroll by themselves (a conversation, a virtual grid). */
  isSelfScrolling?: boolean;
  /** What the work is called beside the pane's tab on a phone. */
  workTab?: string;
  /** Which of the two tabs a phone shows, where the screen changes it by itself. */
  tabState?: [PhoneTab, (tab: PhoneTab) => void];
  children: ReactNode;
};

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
