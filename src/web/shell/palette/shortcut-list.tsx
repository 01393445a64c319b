import { useAllCommands } from "../../frame/commands.tsx";
import { t } from "../../messages/t.ts";
import { Kbd } from "../../ui/display/kbd.tsx";
import { listShortcuts } from "./list-shortcuts.ts";
import styles from "./palette.module.css";

/**
 * Every shortcut that works now, by group. The list takes the focus so that it can be scrolled by
 * keyboard, because it contains nothing focusable.
 */
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
