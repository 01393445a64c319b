import { Command } from "cmdk";
import {
  createContext,
  type KeyboardEvent,
  type ReactNode,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { createPortal } from "react-dom";
import { classes } from "../classes.ts";
import { AroundPopover, enterAhead } from "../overlays/around-popover.ts";
import styles from "./picker-list.module.css";
import { useHeldEnter } from "./use-held-enter.ts";

export type PickerListProps = {
  /** The list's accessible name. */
  label: string;
  placeholder: string;
  query: string;
  onQueryChange: (query: string) => void;
  /** The most characters, for text that is only searched for: `limits.searchCharacters`. */
  maxLength?: number;
  /** The server does the searching, so every given item is shown. */
  isFiltered?: boolean;
  /** The items still belong to the previous search, so Enter waits for the current ones. */
  isBehind?: boolean;
  /** The initially highlighted item. */
  initial?: string;
  /** The highlighted item, if the parent controls it. */
  selected?: string;
  onSelectedChange?: (value: string) => void;
  size?: "small" | "large";
  /** Below the list, and fixed while the list scrolls. */
  foot?: ReactNode;
  children: ReactNode;
};

const enabledItem = '[cmdk-item]:not([aria-disabled="true"])';
const selectedItem = '[cmdk-item][aria-selected="true"]';

/** Where a list's notes are drawn. */
const NotePlace = createContext<HTMLElement | null>(null);

/** A searchable list to choose one item from. Contains cmdk, so load it lazily. */
export function PickerList({
  label,
  placeholder,
  query,
  onQueryChange,
  maxLength,
  isFiltered = false,
  isBehind = false,
  initial,
  selected,
  onSelectedChange,
  size = "small",
  foot,
  children,
}: PickerListProps) {
  const input = useRef<HTMLInputElement>(null);
  const isEnterAhead = useRef(false);
  const popover = useContext(AroundPopover);
  // The popup focused its content before this chunk had loaded. If the person has closed it
  // meanwhile, the focus stays elsewhere.
  useLayoutEffect(() => {
    if (popover && !popover.isOpen) return;
    input.current?.focus();
    const ahead = popover?.typed.current;
    if (!popover || !ahead) return;
    popover.typed.current = "";
    isEnterAhead.current = isFiltered && ahead.endsWith(enterAhead);
    onQueryChange(query + ahead.replace(enterAhead, ""));
  }, []);
  const [ownSelected, setOwnSelected] = useState(initial ?? "");
  useEffect(() => (input.current ? keepOneSelected(input.current, setOwnSelected) : undefined), []);
  const [notePlace, setNotePlace] = useState<HTMLElement | null>(null);
  const root = useRef<HTMLDivElement>(null);
  const itemOf = (selector: string) => root.current?.querySelector<HTMLElement>(selector);
  const held = useHeldEnter(isBehind, () => itemOf(enabledItem)?.click());
  useEffect(() => {
    if (!isEnterAhead.current || query === "") return;
    isEnterAhead.current = false;
    held.press();
  }, [query]);
  const onKeyDown = (event: KeyboardEvent) => {
    // A link below the items handles its own keys.
    if (event.target !== input.current || isComposing(event) || held.onKeyDown(event)) return;
    if (event.key !== "Enter") return;
    // Cmdk misses an Enter that comes before it has selected one of the new items.
    event.preventDefault();
    event.stopPropagation();
    (itemOf(selectedItem) ?? itemOf(enabledItem))?.click();
  };
  return (
    <Command
      ref={root}
      onKeyDownCapture={onKeyDown}
      label={label}
      shouldFilter={!isFiltered}
      value={selected ?? ownSelected}
      onValueChange={selected === undefined ? setOwnSelected : onSelectedChange}
      loop
      className={classes(styles.picker, styles[size])}
    >
      <Command.Input
        ref={input}
        className={styles.input}
        placeholder={placeholder}
        value={query}
        onValueChange={onQueryChange}
        maxLength={maxLength}
      />
      <div ref={setNotePlace} className={styles.notes} />
      <Command.List className={styles.list} label={label}>
        <NotePlace value={notePlace}>{children}</NotePlace>
      </Command.List>
      {foot && <p className={styles.foot}>{foot}</p>}
    </Command>
  );
}

/** Items under headings, one group per entry of the map. */
export function PickerGroups<Item>({
  groups,
  children,
}: {
  groups: ReadonlyMap<string, readonly Item[]>;
  children: (item: Item) => ReactNode;
}) {
  return [...groups].map(([heading, items]) => (
    <Command.Group key={heading} heading={heading}>
      {items.map(children)}
    </Command.Group>
  ));
}

export type PickerItemProps = {
  /** The item's unique value. */
  value: string;
  /** The words that a search matches. */
  keywords?: string[];
  onSelect: () => void;
  children: ReactNode;
};

export function PickerItem(props: PickerItemProps) {
  return <Command.Item {...props} className={styles.item} />;
}

/** Anything but items, which a listbox can't contain; drawn above them. */
export function PickerNote({ children }: { children: ReactNode }) {
  const place = useContext(NotePlace);
  return place && createPortal(children, place);
}

/** Shown if no item matches the search. */
export function PickerEmpty({ children }: { children: ReactNode }) {
  return (
    <PickerNote>
      <Command.Empty className={styles.empty}>{children}</Command.Empty>
    </PickerNote>
  );
}

/**
 * Whether a key belongs to an input method. Safari ends a composition with an Enter that only its
 * key code tells apart.
 */
const isComposing = ({ nativeEvent, keyCode }: KeyboardEvent): boolean =>
  nativeEvent.isComposing || keyCode === 229;

/**
 * Works around two faults of cmdk 1.1.1. If a search removes several items at once, the selected one among
 * them, it selects none: this selects the first. And it exposes the item
 * selected before filtering to screen readers, which may be gone: this exposes the selected one.
 */
function keepOneSelected(
  input: HTMLInputElement,
  select: (value: string) => void,
): (() => void) | undefined {
  const root = input.closest("[cmdk-root]");
  if (!root) return undefined;
  const observer = new MutationObserver(() => {
    const id = root.querySelector(selectedItem)?.id;
    const first = root.querySelector<HTMLElement>(enabledItem);
    if (id === undefined && first?.dataset.value) select(first.dataset.value);
    for (const element of root.querySelectorAll("[aria-activedescendant]")) {
      if (id === undefined) element.removeAttribute("aria-activedescendant");
      else if (element.getAttribute("aria-activedescendant") !== id)
        element.setAttribute("aria-activedescendant", id);
    }
  });
  observer.observe(root, {
    subtree: true,
    childList: true,
    attributeFilter: ["aria-selected", "aria-activedescendant"],
  });
  return () => observer.disconnect();
}
