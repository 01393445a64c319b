import { createContext, type RefObject } from "react";

/** The popover's state, for a search inside it that loads later. */
export const AroundPopover = createContext<{
  isOpen: boolean;
  /** Letters typed before the search was rendered, which it takes over; Enter is the last one. */
  typed: RefObject<string>;
} | null>(null);

/** Stands for Enter in the letters typed ahead. */
export const enterAhead = "\n";
