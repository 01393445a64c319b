import { ChevronDown } from "lucide-react";
import { type KeyboardEvent, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { classes } from "../classes.ts";
import styles from "../overlays/popups.module.css";
import { preload, usePopupFailure } from "../part.tsx";
import fieldStyles from "./field.module.css";
import { Field, type FieldControl, type FieldProps } from "./field.tsx";
import type { OpenedSearchSelect } from "./opened-search-select.tsx";
import type { OpenedSelect } from "./opened-select.tsx";
import { isLetter, type SelectProps } from "./select-props.ts";

const loadList = () => import("./opened-select.tsx").then(({ OpenedSelect }) => OpenedSelect);
const loadSearch = () =>
  import("./opened-search-select.tsx").then(({ OpenedSearchSelect }) => OpenedSearchSelect);

/**
 * Selects one of many options in a list that opens. Before its first opening it is a plain button.
 * The list's code loads on hover or focus, and then replaces the button with the list already open.
 */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const [opened, setOpened] = useState<{
    Opened: typeof OpenedSelect | typeof OpenedSearchSelect;
    typed: string;
  }>();
  /** Letters typed on the button while the list loads; null if none is loading. */
  const typed = useRef<string | null>(null);
  const tell = usePopupFailure();
  if (opened) return <opened.Opened {...props} typed={opened.typed} />;
  const load = props.search ? loadSearch : loadList;
  const open = (key: string, button: HTMLElement) => {
    typed.current = ((typed.current ?? "") + key).trimStart();
    const { activeElement } = document;
    void load().then(
      (Opened) => {
        const letters = typed.current;
        const at = document.activeElement;
        // Doesn't take the focus back from another field. Screen readers press buttons that aren't
        // focused.
        if (activeElement === button && at !== button && at !== document.body) typed.current = null;
        // Synchronous: a letter typed before the list renders would otherwise arrive at the button
        // after its letters were passed on.
        else if (letters !== null) flushSync(() => setOpened({ Opened, typed: letters }));
      },
      (error) => {
        typed.current = null;
        tell(error);
      },
    );
  };
  const takeBack = () => {
    const wasComing = typed.current !== null;
    typed.current = null;
    return wasComing;
  };
  return (
    <ClosedSelect {...props} onWanted={() => preload(load)} onOpen={open} onTakeBack={takeBack} />
  );
}

/**
 * The keys that open a list, as in a native select: arrows, Enter, the space bar, or a letter of an
 * option.
 */
const opens = (event: KeyboardEvent) =>
  ["ArrowDown", "ArrowUp", "Enter", " "].includes(event.key) || isLetter(event);

function ClosedSelect<Value extends string>({
  value,
  options,
  placeholder,
  disabled,
  className,
  control: { required, ...control } = {} as FieldControl,
  onWanted,
  onOpen,
  onTakeBack,
  search,
  onValueChange: _,
  ...named
}: SelectProps<Value> & {
  onWanted: () => void;
  onOpen: (typed: string, button: HTMLElement) => void;
  /** Returns whether a list was loading. */
  onTakeBack: () => boolean;
}) {
  const chosen = options.find((option) => option.value === value);
  return (
    <button
      {...control}
      {...named}
      type="button"
      role="combobox"
      aria-haspopup={search ? "dialog" : "listbox"}
      aria-expanded={false}
      aria-required={required}
      disabled={disabled}
      className={classes(fieldStyles.control, styles.select, className)}
      onPointerEnter={onWanted}
      onFocus={onWanted}
      onClick={({ currentTarget }) => onOpen("", currentTarget)}
      onKeyDown={(event) => {
        if (event.key === "Escape" && onTakeBack()) {
          // Keeps Escape from closing a dialog around the select.
          event.preventDefault();
          event.stopPropagation();
        }
        if (!opens(event)) return;
        event.preventDefault();
        onOpen(event.key.length === 1 ? event.key : "", event.currentTarget);
      }}
    >
      <span className={styles.selectValue} data-placeholder={chosen ? undefined : ""}>
        {chosen?.label ?? placeholder}
      </span>
      <span className={styles.chevron} aria-hidden>
        <ChevronDown />
      </span>
    </button>
  );
}

export type SelectFieldProps<Value extends string> = Omit<FieldProps, "children" | "isGroup"> &
  Pick<
    SelectProps<Value>,
    "value" | "onValueChange" | "options" | "placeholder" | "disabled" | "search"
  >;

export function SelectField<Value extends string>({
  label,
  hint,
  error,
  aside,
  required,
  isLabelHidden,
  ...select
}: SelectFieldProps<Value>) {
  return (
    <Field
      label={label}
      hint={hint}
      error={error}
      aside={aside}
      required={required}
      isLabelHidden={isLabelHidden}
    >
      {(control) => <Select {...select} control={control} />}
    </Field>
  );
}
