import { type MouseEvent, type ReactNode, useRef, useState } from "react";
import {
  nothingSelected,
  type Selection,
  selectTo,
  toggleSelected,
} from "../../components/grid/selection.ts";
import { Checkbox } from "../../ui/controls/checkbox.tsx";
import styles from "./selecting-list.module.css";

/** The selected rows of a list, by the keys of the visible rows; Shift selects a range. */
export function useSelecting(keys: readonly string[]) {
  const [selection, setSelection] = useState<Selection>(nothingSelected);
  const withShift = useRef(false);
  const areAll = keys.length > 0 && keys.every((key) => selection.keys.has(key));
  return {
    has: (key: string): boolean => selection.keys.has(key),
    areAll,
    clear: () => setSelection(nothingSelected),
    toggleAll: () => setSelection(areAll ? nothingSelected : { keys: new Set(keys), anchor: null }),
    toggle: (index: number, key: string) =>
      setSelection(
        withShift.current
          ? selectTo(selection, index, (at) => keys[at])
          : toggleSelected(selection, index, key),
      ),
    /** Called before a checkbox toggles. */
    onPress: ({ shiftKey }: MouseEvent) => {
      withShift.current = shiftKey;
    },
  };
}
type Selecting = ReturnType<typeof useSelecting>;

type BarProps = { selecting: Selecting; count: number; label: string; children?: ReactNode };

/** The sticky bar above a list: select all or none, and actions on the selected rows. */
export function SelectingBar({ selecting, count, label, children }: BarProps) {
  return (
    <div className={styles.bar}>
      <Checkbox
        label={label}
        checked={selecting.areAll}
        mixed={count > 0 && !selecting.areAll}
        onCheckedChange={selecting.toggleAll}
      />
      {children && <div className={styles.ways}>{children}</div>}
    </div>
  );
}
