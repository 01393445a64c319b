import { useState } from "react";
import { groupBy } from "../../data/group-by.ts";
import { useAllCommands } from "../../frame/commands.tsx";
import { t } from "../../messages/t.ts";
import { Kbd } from "../../ui/display/kbd.tsx";
import { PickerEmpty, PickerGroups, PickerItem, PickerList } from "../../ui/lists/picker-list.tsx";
import styles from "./palette.module.css";

/** The palette's list, in a chunk of its own. `onChosen` closes it. */
export function PaletteList({ onChosen }: { onChosen: () => void }) {
  const commands = useAllCommands().filter(({ isKeyOnly }) => !isKeyOnly);
  const [query, setQuery] = useState("");
  return (
    <PickerList
      label={t("shell.palette")}
      placeholder={t("shell.palette.placeholder")}
      query={query}
      onQueryChange={setQuery}
      size="large"
    >
      <PickerEmpty>{t("shell.palette.empty", { query })}</PickerEmpty>
      <PickerGroups groups={groupBy(commands, ({ group }) => group)}>
        {({ id, title, icon: Icon, shortcut, keywords, run }) => (
          <PickerItem
            key={id}
            value={id}
            keywords={[title, ...(keywords ?? [])]}
            onSelect={() => {
              onChosen();
              run();
            }}
          >
            {Icon && <Icon className={styles.icon} aria-hidden />}
            <span className={styles.text}>{title}</span>
            {shortcut && <Kbd keys={shortcut} />}
          </PickerItem>
        )}
      </PickerGroups>
    </PickerList>
  );
}
