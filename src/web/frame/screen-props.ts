import type { ReactNode } from "react";

/** The pane next to the rail, with the section's contents. */
export type ScreenPane = {
  /** 248 px for lists, 348 px for Create's form. */
  width?: "list" | "form";
  /** Icon buttons at the right of the pane's title. */
  actions?: ReactNode;
  children: ReactNode;
  /** Fixed below the scrolling content: the form's main button. */
  footer?: ReactNode;
  /** On a phone: a sheet behind a menu button, or a tab next to the work, labeled `phoneTab`. */
  phone?: "sheet" | "tab";
  phoneTab?: string;
};

/**
 * The panel at the right: the recipe, run or settings of the selection. Its state belongs in the
 * address.
 */
export type ScreenInspector = {
  title: string;
  isOpen: boolean;
  onOpenChange: (open: boolean) => void;
  children: ReactNode;
};

export type PhoneTab = "pane" | "work";

export type ScreenProps = {
  /** The section's name: the h1 above the pane, and part of the window's title. */
  title: string;
  /**
   * The open object's name: a conversation's title, an asset's name. On a phone it becomes the h1.
   */
  heading?: string;
  /** Before the heading: the link back to the list. */
  back?: ReactNode;
  /**
   * In the header after the heading: search, filters as chips. On a phone they have their own line.
   */
  tools?: ReactNode;
  /** In the header, at the right of the running pill: the main action. */
  actions?: ReactNode;
  /** Replaces `actions` on a phone, which has room for one or two icon buttons. */
  phoneActions?: ReactNode;
  pane?: ScreenPane;
  inspector?: ScreenInspector;
  /** Removes the line below the header, as on Home. */
  isHeaderBare?: boolean;
  /** The children scroll themselves (a conversation, a virtual grid). */
  isSelfScrolling?: boolean;
  /** The label of the work's tab next to the pane's tab on a phone. */
  workTab?: string;
  /** The selected tab on a phone, for screens that switch tabs themselves. */
  tabState?: [PhoneTab, (tab: PhoneTab) => void];
  children: ReactNode;
};
