import { Combobox as Base } from "@base-ui/react/combobox";
import { Check, ChevronDown } from "lucide-react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { classes } from "../classes.ts";
import styles from "../overlays/popups.module.css";
import fieldStyles from "./field.module.css";
import { isLetter, type SelectProps } from "./select-props.ts";

/** A select with a search, used after its first opening, in a separate chunk. */
export function OpenedSearchSelect<Value extends string>({
  value,
  onValueChange,
  options,
  placeholder,
  disabled,
  className,
  control,
  search,
  typed,
  ...named
}: SelectProps<Value> & { typed: string }) {
  const { required, ...rest } = control ?? {};
  const labels = new Map(options.map(({ value: option, label }) => [option, label]));
  const aliases = new Map(options.map(({ value: option, alias }) => [option, alias]));
  const { contains } = Base.useFilter({ sensitivity: "base" });
  /** Null before the first opening. */
  const [isOpen, setOpen] = useState<boolean | null>(null);
  const [query, setQuery] = useState(typed);
  // Base UI scrolls the selected option into view when a closed list opens, but not if the list is
  // open initially.
  useEffect(() => setOpen(true), []);
  // The pressed button has been replaced, so keys typed before the search has the focus arrive
  // here.
  const trigger = useRef<HTMLButtonElement>(null);
  const popup = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => trigger.current?.focus(), []);
  const onOpenChange = (next: boolean) => {
    setOpen(next);
    if (next) setQuery("");
    // Immediately, not after the fade: a letter typed before then would go into the closing search.
    else if (popup.current?.contains(document.activeElement)) trigger.current?.focus();
  };
  const labelOf = (option: Value) => labels.get(option) ?? option;
  return (
    <Base.Root
      open={isOpen ?? false}
      onOpenChange={onOpenChange}
      inputValue={query}
      onInputValueChange={(next, { reason }) => {
        // Base UI clears the previous search, which would remove the letter that reopened the list.
        if (reason !== "input-clear") setQuery(next);
      }}
      filter={(option: Value, sought) =>
        contains(labelOf(option), sought) || contains(aliases.get(option) ?? "", sought)
      }
      value={value}
      onValueChange={(next) => {
        if (next !== null) onValueChange(next);
      }}
      items={options.map(({ value: option }) => option)}
      itemToStringLabel={labelOf}
      disabled={disabled}
      required={required}
      autoHighlight
    >
      <Base.Trigger
        ref={trigger}
        {...rest}
        {...named}
        className={classes(fieldStyles.control, styles.select, className)}
        onKeyDown={(event) => {
          const before = isOpen === false ? "" : query;
          if (!isLetter(event, before)) return;
          // Letters arrive here until the search has the focus.
          event.preventBaseUIHandler();
          event.preventDefault();
          setOpen(true);
          setQuery(before + event.key);
        }}
        onKeyUp={(event) => {
          // Firefox presses a button when the space bar is released.
          if (isOpen && isLetter(event, query)) event.preventDefault();
        }}
      >
        <span className={styles.selectValue} data-placeholder={value === null ? "" : undefined}>
          {value === null ? placeholder : labelOf(value)}
        </span>
        <Base.Icon className={styles.chevron}>
          <ChevronDown aria-hidden />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className={styles.positioner} sideOffset={5} align="start">
          <Base.Popup
            ref={popup}
            className={classes(styles.popup, styles.selectPopup, styles.searchPopup)}
            aria-label={search?.label}
          >
            <Base.Input
              className={classes(fieldStyles.control, styles.search)}
              aria-label={search?.label}
              placeholder={search?.label}
            />
            <Base.Empty className={styles.empty}>{search?.empty}</Base.Empty>
            <Base.List className={styles.searchList}>
              {(option: Value) => (
                <Base.Item key={option} value={option} className={styles.item}>
                  <span className={styles.check}>
                    <Base.ItemIndicator>
                      <Check aria-hidden />
                    </Base.ItemIndicator>
                  </span>
                  <span className={styles.itemWords}>{labelOf(option)}</span>
                </Base.Item>
              )}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
