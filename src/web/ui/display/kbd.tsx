import { nameKeys } from "../keys.ts";
import styles from "./kbd.module.css";

/** A shortcut as keys: `<Kbd keys="mod+k" />`, `<Kbd keys="g h" />`. */
export function Kbd({ keys }: { keys: string }) {
  return (
    <span className={styles.keys}>
      {nameKeys(keys).map((name) => (
        <kbd key={name} className={styles.kbd}>
          {name}
        </kbd>
      ))}
    </span>
  );
}
