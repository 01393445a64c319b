import { createContext, type RefObject } from "react";

/** What a popover tells a search in it whose code comes after it. */
export const AroundPopover = createContext<{
  isOpen: boolean;
  /** Letters that were pressed before the search was there: it takes them. */
  typed: RefObject<string>;
} | null>(null);
