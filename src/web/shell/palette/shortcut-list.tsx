import { useAllCommands } from "../../frame/commands.tsx";
import { Kbd } from "../../ui/display/kbd.tsx";
import { listShortcuts } from "./list-shortcuts.ts";
import styles from "./palette.module.css";

/** Every key that works here now, by group. */
export function ShortcutList() {
  return (
    <div className={styles.shortcuts}>
      {listShortcuts(useAllCommands()).map(({ heading, lines }) => (
        <section key={heading} className={styles.group}>
          <h3 className={styles.groupTitle}>{heading}</h3>
          {lines.map(({ id, title, keys }) => (
            <div key={id} className={styles.line}>
              <span>{title}</span>
              <span className={styles.keys}>
                {keys.map((shortcut) => (
                  <Kbd key={shortcut} keys={shortcut} />
                ))}
              </span>
            </div>
          ))}
        </section>
      ))}
    </div>
  );
}
