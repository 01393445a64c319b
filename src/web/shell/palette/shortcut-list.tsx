import { useAllCommands } from "../../frame/commands.tsx";
import { t } from "../../messages/t.ts";
import { Kbd } from "../../ui/display/kbd.tsx";
import { listShortcuts } from "./list-shortcuts.ts";
import styles from "./palette.module.css";

/** Every key that works here now, by group. Scrolls, so it takes the focus: nothing in it does. */
export function ShortcutList() {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must scroll by keys, too
    <section aria-label={t("shell.shortcuts")} tabIndex={0} className={styles.shortcuts}>
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
    </section>
  );
}
