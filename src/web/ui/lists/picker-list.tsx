import { Command } from "cmdk";
import { type ReactNode, useContext, useEffect, useLayoutEffect, useRef } from "react";
import { classes } from "../classes.ts";
import { AroundPopover } from "../overlays/around-popover.ts";
import styles from "./picker-list.module.css";
import { useHeldEnter } from "./use-held-enter.ts";

export type PickerListProps = {
  /** The list's name, for the ear. */
  label: string;
  placeholder: string;
  query: string;
  onQueryChange: (query: string) => void;
  /** The server searches: every item that is given is shown. */
  isFiltered?: boolean;
  /** The items are still those of the search before: Enter waits for the ones of this search. */
  isBehind?: boolean;
  /** The item that is highlighted at first. */
  initial?: string;
  /** The highlighted item, where the list around it decides. */
  selected?: string;
  onSelectedChange?: (value: string) => void;
  size?: "small" | "large";
  /** Under the list, where it stays while the list scrolls. */
  foot?: ReactNode;
  children: ReactNode;
};

/** A list to choose one thing from, with a search over it. cmdk is in it: load it lazily. */
export function PickerList({
  label,
  placeholder,
  query,
  onQueryChange,
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
  const popover = useContext(AroundPopover);
  // The popup looked for something to focus before this chunk was there; who has closed it meanwhile is elsewhere.
  useLayoutEffect(() => {
    if (popover && !popover.isOpen) return;
    input.current?.focus();
    if (!popover?.typed.current) return;
    onQueryChange(query + popover.typed.current);
    popover.typed.current = "";
  }, []);
  useEffect(() => (input.current ? keepSelectedNamed(input.current) : undefined), []);
  const root = useRef<HTMLDivElement>(null);
  const hold = useHeldEnter(isBehind, () =>
    root.current?.querySelector<HTMLElement>('[cmdk-item]:not([aria-disabled="true"])')?.click(),
  );
  return (
    <Command
      ref={root}
      onKeyDownCapture={(event) => {
        // On a link below the items it is the link's.
        if (event.target === input.current) hold(event);
      }}
      label={label}
      shouldFilter={!isFiltered}
      defaultValue={initial}
      {...(selected !== undefined && { value: selected, onValueChange: onSelectedChange })}
      loop
      className={classes(styles.picker, styles[size])}
    >
      <Command.Input
        ref={input}
        className={styles.input}
        placeholder={placeholder}
        value={query}
        onValueChange={onQueryChange}
      />
      <Command.List className={styles.list} label={label}>
        {children}
      </Command.List>
      {foot && <p className={styles.foot}>{foot}</p>}
    </Command>
  );
}

/** Items under a heading, one group for each entry of the map. */
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
  /** What sets it apart from the others. */
  value: string;
  /** What a search finds it by. */
  keywords?: string[];
  onSelect: () => void;
  children: ReactNode;
};

export function PickerItem(props: PickerItemProps) {
  return <Command.Item {...props} className={styles.item} />;
}

/** Takes the place of the items when no item fits the search. */
export function PickerEmpty({ children }: { children: ReactNode }) {
  return <Command.Empty className={styles.empty}>{children}</Command.Empty>;
}

/** cmdk 1.1.1 names for the ear an item that was selected before the list was filtered and may be gone: this names the one that is. */
function keepSelectedNamed(input: HTMLInputElement): () => void {
  const root = input.closest("[cmdk-root]");
  if (!root) return () => {};
  const observer = new MutationObserver(() => {
    const id = root.querySelector('[cmdk-item][aria-selected="true"]')?.id;
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
