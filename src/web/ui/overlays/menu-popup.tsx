import { Menu } from "@base-ui/react/menu";
import { Check, ChevronRight, type LucideIcon } from "lucide-react";
import { type ReactNode, type RefObject, useEffect, useRef } from "react";
import { classes } from "../classes.ts";
import { Kbd } from "../display/kbd.tsx";
import styles from "./popups.module.css";
import { focusAfter, type OpenChange } from "./use-popup-trigger.tsx";

export type MenuAction = {
  label: string;
  /** A second line. */
  detail?: ReactNode;
  icon?: LucideIcon;
  shortcut?: string;
  /** If given, the entry is a choice, with a check mark if true. */
  checked?: boolean;
  danger?: boolean;
  disabled?: boolean;
  /** The act moves the focus, so the menu doesn't return it to its button. */
  movesFocus?: boolean;
  onSelect: () => void;
};
/** A submenu that opens next to its entry. */
export type MenuBranch = { label: string; icon?: LucideIcon; entries: readonly MenuEntry[] };
export type MenuEntry = MenuAction | MenuBranch | { separator: true } | { heading: string };

/** A menu's name, entries and position. */
export type MenuContent = {
  /** The menu's accessible name. */
  label: string;
  entries: readonly MenuEntry[];
  side?: "top" | "bottom" | "left" | "right";
  align?: "start" | "center" | "end";
  /** For use on backgrounds that are dark in light mode too. */
  isDark?: boolean;
};

type MenuPopupProps = Required<MenuContent> & {
  anchor: RefObject<HTMLElement | null>;
  open: boolean;
  onOpenChange: OpenChange;
  leave: () => void;
};

/** Menu's popup, in a separate chunk. */
export function MenuPopup({
  anchor,
  open,
  onOpenChange,
  leave,
  label,
  entries,
  side,
  align,
  isDark,
}: MenuPopupProps) {
  const popup = useRef<HTMLDivElement>(null);
  const movesFocus = useRef(false);
  useEffect(() => {
    if (open) movesFocus.current = false;
  }, [open]);
  const onChosen = (entry: MenuAction) => {
    movesFocus.current = entry.movesFocus ?? false;
    entry.onSelect();
  };
  return (
    <Menu.Root open={open} onOpenChange={onOpenChange} modal={false}>
      <Menu.Portal>
        <Menu.Positioner
          anchor={anchor}
          side={side}
          align={align}
          sideOffset={5}
          className={styles.positioner}
        >
          <Menu.Popup
            ref={popup}
            className={styles.popup}
            data-theme={isDark ? "dark" : undefined}
            finalFocus={() => !movesFocus.current && focusAfter(anchor, popup.current)}
            aria-label={label}
            // Also applies to submenus. The key press itself then moves on from the button.
            onKeyDownCapture={(event) => {
              if (event.key !== "Tab") return;
              event.stopPropagation();
              leave();
            }}
          >
            <Entries entries={entries} onChosen={onChosen} />
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

const keyOf = (entry: MenuEntry, place: number) =>
  "label" in entry ? `${entry.label} ${place}` : `${place}`;

type EntriesProps = { entries: readonly MenuEntry[]; onChosen: (entry: MenuAction) => void };

function Entries({ entries, onChosen }: EntriesProps) {
  const hasChecks = entries.some((entry) => "checked" in entry);
  return entries.map((entry, index) => (
    <Entry key={keyOf(entry, index)} {...{ entry, hasChecks, onChosen }} />
  ));
}

function Branch({ branch, onChosen }: { branch: MenuBranch } & Pick<EntriesProps, "onChosen">) {
  const { label, icon: Icon, entries } = branch;
  return (
    <Menu.SubmenuRoot>
      <Menu.SubmenuTrigger className={styles.item} label={label}>
        {Icon && <Icon aria-hidden />}
        <span className={styles.itemWords}>{label}</span>
        <ChevronRight aria-hidden />
      </Menu.SubmenuTrigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={2} className={styles.positioner}>
          <Menu.Popup className={styles.popup} aria-label={label}>
            <Entries entries={entries} onChosen={onChosen} />
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.SubmenuRoot>
  );
}

type EntryProps = {
  entry: MenuEntry;
  hasChecks: boolean;
  onChosen: (entry: MenuAction) => void;
};

function Entry({ entry, hasChecks, onChosen }: EntryProps) {
  if ("separator" in entry) return <Menu.Separator className={styles.separator} />;
  if ("heading" in entry) return <div className={styles.groupLabel}>{entry.heading}</div>;
  if ("entries" in entry) return <Branch branch={entry} onChosen={onChosen} />;
  const words = <EntryText entry={entry} hasChecks={hasChecks} />;
  const shared = {
    className: classes(styles.item, entry.danger && styles.danger),
    disabled: entry.disabled,
    label: entry.label,
  };
  if (entry.checked === undefined) {
    return (
      <Menu.Item {...shared} onClick={() => onChosen(entry)}>
        {words}
      </Menu.Item>
    );
  }
  return (
    <Menu.CheckboxItem
      {...shared}
      checked={entry.checked}
      onCheckedChange={() => onChosen(entry)}
      closeOnClick
    >
      {words}
    </Menu.CheckboxItem>
  );
}

function EntryText({ entry, hasChecks }: { entry: MenuAction; hasChecks: boolean }) {
  const Icon = entry.icon;
  return (
    <>
      {hasChecks && <span className={styles.check}>{entry.checked && <Check aria-hidden />}</span>}
      {Icon && <Icon aria-hidden />}
      <span className={styles.itemWords}>
        {entry.label}
        {entry.detail && <span className={styles.itemDetail}>{entry.detail}</span>}
      </span>
      {entry.shortcut && <Kbd keys={entry.shortcut} />}
    </>
  );
}
