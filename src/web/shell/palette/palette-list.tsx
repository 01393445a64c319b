import { Command as Cmdk } from "cmdk";
import { useEffect, useRef, useState } from "react";
import { groupBy } from "../../data/group-by.ts";
import { type Command, useAllCommands } from "../../frame/commands.tsx";
import { t } from "../../messages/t.ts";
import { Kbd } from "../../ui/display/kbd.tsx";
import styles from "./palette.module.css";

/** The palette's list, in a chunk of its own. `onChosen` closes it. */
export function PaletteList({ onChosen }: { onChosen: () => void }) {
  const commands = useAllCommands().filter(({ isKeyOnly }) => !isKeyOnly);
  const [query, setQuery] = useState("");
  const input = useRef<HTMLInputElement>(null);
  // The dialog looked for something to focus before this chunk was there.
  useEffect(() => input.current?.focus(), []);
  useEffect(() => (input.current ? keepSelectedNamed(input.current) : undefined), []);
  const groups = groupBy(commands, ({ group }) => group);
  const choose = (command: Command) => {
    onChosen();
    command.run();
  };
  return (
    <Cmdk label={t("shell.palette")} className={styles.palette} loop>
      <Cmdk.Input
        ref={input}
        className={styles.input}
        placeholder={t("shell.palette.placeholder")}
        value={query}
        onValueChange={setQuery}
      />
      <Cmdk.List className={styles.list} label={t("shell.palette")}>
        <Cmdk.Empty className={styles.empty}>{t("shell.palette.empty", { query })}</Cmdk.Empty>
        {[...groups].map(([group, members]) => (
          <Cmdk.Group key={group} heading={group}>
            {members.map((command) => (
              <Item key={command.id} command={command} onSelect={() => choose(command)} />
            ))}
          </Cmdk.Group>
        ))}
      </Cmdk.List>
    </Cmdk>
  );
}

/** cmdk 1.1.1 names for the ear an item that was selected before the list was filtered and may be gone: this names the one that is. */
function keepSelectedNamed(input: HTMLInputElement): () => void {
  const root = input.closest("[cmdk-root]");
  if (!root) return () => {};
  const observer = new MutationObserver(() => {
    const id = root.querySelector('[cmdk-item][aria-selected="true"]')?.id;
    for (const element of root.querySelectorAll("[aria-activedescendant]")) {
      if (id === undefined) element.removeAttribute("aria-activedescendant");
      else if (element.getAttribute("aria-activedescendant") !== id)
        element.setAttribute("aria-activedescendant", id);
    }
  });
  observer.observe(root, {
    subtree: true,
    childList: true,
    attributeFilter: ["aria-selected", "aria-activedescendant"],
  });
  return () => observer.disconnect();
}

function Item({ command, onSelect }: { command: Command; onSelect: () => void }) {
  const { id, title, icon: Icon, shortcut, keywords } = command;
  return (
    <Cmdk.Item
      value={id}
      keywords={[title, ...(keywords ?? [])]}
      className={styles.item}
      onSelect={onSelect}
    >
      {Icon && <Icon aria-hidden />}
      <span className={styles.text}>{title}</span>
      {shortcut && <Kbd keys={shortcut} />}
    </Cmdk.Item>
  );
}
