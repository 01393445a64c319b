import { groupBy } from "../../data/group-by.ts";
import { useAllCommands } from "../../frame/commands.tsx";
import { Kbd } from "../../ui/display/kbd.tsx";
import styles from "./palette.module.css";

/** Every shortcut that works here now, by group. */
export function ShortcutList() {
  const groups = groupBy(
    useAllCommands().filter(({ shortcut }) => shortcut),
    ({ group }) => group,
  );
  return (
    <div className={styles.shortcuts}>
      {[...groups].map(([group, commands]) => (
        <section key={group} className={styles.group}>
          <h3 className={styles.groupTitle}>{group}</h3>
          {commands.map(({ id, title, shortcut = "" }) => (
            <div key={id} className={styles.line}>
              <span>{title}</span>
              <Kbd keys={shortcut} />
            </div>
          ))}
        </section>
      ))}
    </div>
  );
}
