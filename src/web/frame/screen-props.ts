import type { ReactNode } from "react";

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
