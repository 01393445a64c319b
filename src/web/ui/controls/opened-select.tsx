import { Select as Base } from "@base-ui/react/select";
import { Check, ChevronDown } from "lucide-react";
import { type FocusEvent, useLayoutEffect, useRef } from "react";
import { classes } from "../classes.ts";
import styles from "../overlays/popups.module.css";
import fieldStyles from "./field.module.css";
import { isLetter, type SelectProps } from "./select-props.ts";

/** A select used after its first opening, in a separate chunk. */
export function OpenedSelect<Value extends string>({
  value,
  onValueChange,
  options,
  placeholder,
  disabled,
  className,
  control,
  search: _,
  typed,
  ...named
}: SelectProps<Value> & { typed: string }) {
  // The pressed button has been replaced, so keys typed before the list has the focus arrive here.
  const trigger = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => trigger.current?.focus(), []);
  /**
   * Letters passed to the list once it has focused the selected option; the list then moves to the
   * option that begins with them.
   */
  const ahead = useRef<string | null>(typed);
  const hasChosen = options.some((option) => option.value === value);
  const onFocus = ({ target }: FocusEvent<HTMLElement>) => {
    if (ahead.current === null) return;
    if (ahead.current !== "" && hasChosen && target.role !== "option") return;
    const letters = ahead.current;
    ahead.current = null;
    for (const key of letters)
      target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  };
  return (
    <Base.Root
      defaultOpen
      onOpenChange={() => {
        ahead.current = null;
      }}
      value={value}
      onValueChange={(next) => {
        if (next !== null) onValueChange(next);
      }}
      items={options.map(({ value: option, label }) => ({ value: option, label }))}
      disabled={disabled}
      modal={false}
    >
      <Base.Trigger
        ref={trigger}
        {...control}
        {...named}
        className={classes(fieldStyles.control, styles.select, className)}
        onKeyDown={(event) => {
          if (ahead.current === null || !isLetter(event, ahead.current)) return;
          event.preventBaseUIHandler();
          event.preventDefault();
          ahead.current += event.key;
        }}
        onKeyUp={(event) => {
          // Firefox presses a button when the space bar is released.
          if (ahead.current !== null && isLetter(event, ahead.current)) event.preventDefault();
        }}
      >
        <Base.Value className={styles.selectValue} placeholder={placeholder} />
        <Base.Icon className={styles.chevron}>
          <ChevronDown aria-hidden />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner
          className={styles.positioner}
          sideOffset={5}
          align="start"
          alignItemWithTrigger={false}
        >
          <Base.Popup className={classes(styles.popup, styles.selectPopup)} onFocus={onFocus}>
            <Base.List>
              {options.map(({ value: option, label, detail, icon: Icon, disabled: isOff }) => (
                <Base.Item key={option} value={option} disabled={isOff} className={styles.item}>
                  <span className={styles.check}>
                    <Base.ItemIndicator>
                      <Check aria-hidden />
                    </Base.ItemIndicator>
                  </span>
                  {Icon && <Icon aria-hidden />}
                  <span className={styles.itemWords}>
                    <Base.ItemText>{label}</Base.ItemText>
                    {detail && <span className={styles.itemDetail}>{detail}</span>}
                  </span>
                </Base.Item>
              ))}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
