import { defaultFilter } from "cmdk";
import { ArrowLeft } from "lucide-react";
import { useRef, useState } from "react";
import { thumbnailUrl } from "../../components/asset/asset-urls.ts";
import { Markdown } from "../../components/markdown/markdown.tsx";
import { useAllCommands } from "../../frame/commands.tsx";
import { t } from "../../messages/t.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Kbd } from "../../ui/display/kbd.tsx";
import { PickerEmpty, PickerGroups, PickerItem, PickerList } from "../../ui/lists/picker-list.tsx";
import { splitMatches } from "../../ui/split-matches.ts";
import { VisuallyHidden } from "../../ui/visually-hidden.tsx";
import { useDialogActions } from "./dialog-actions.ts";
import {
  commandsOverDialog,
  type Entry,
  type EntryGroup,
  findableCommands,
  groupCommands,
  rankCommands,
  rankGroups,
} from "./entries.ts";
import styles from "./palette.module.css";
import { useDestinations, useIntents } from "./use-destinations.ts";
import { type ManualSection, useFound } from "./use-found.ts";

const thumbnailSize = 32;

/**
 * The palette, in a separate chunk: commands, a search of the project, and the manual. `onChosen`
 * closes it.
 */
export function PaletteList({
  query,
  onQueryChange,
  onChosen,
}: {
  query: string;
  onQueryChange: (query: string) => void;
  onChosen: () => void;
}) {
  const [moved, setMoved] = useState<{ query: string; id: string } | null>(null);
  const isMoving = useRef(false);
  const [section, setSection] = useState<ManualSection | null>(null);
  const { groups, isSearching, hasFailed, making } = useGroups(query, setSection);
  if (section) return <Reading section={section} onBack={() => setSection(null)} />;
  // The first row is highlighted as results arrive, until an arrow key or the pointer selects
  // another.
  const first = groups[0]?.entries[0]?.id ?? "";
  const selected = moved?.query === query ? moved.id : first;
  const count = groups.reduce((sum, { entries }) => sum + entries.length, 0);
  const choose = ({ stays, run }: Entry) => {
    if (!stays) onChosen();
    run();
  };
  return (
    <div
      className={styles.palette}
      onPointerMoveCapture={() => {
        isMoving.current = true;
      }}
      // In the capture phase, because cmdk takes Enter for the highlighted row, whatever modifiers
      // are held.
      onKeyDownCapture={(event) => {
        isMoving.current = /^(Arrow|Home|End)/.test(event.key);
        if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey) || !making) return;
        event.preventDefault();
        event.stopPropagation();
        choose(making);
      }}
    >
      <PickerList
        label={t("shell.palette")}
        placeholder={t("palette.placeholder")}
        query={query}
        onQueryChange={onQueryChange}
        size="large"
        selected={selected}
        onSelectedChange={(id) => {
          if (isMoving.current) setMoved({ query, id });
        }}
        isFiltered
        foot={hasFailed ? t("palette.failed") : undefined}
      >
        <PickerEmpty>
          {isSearching ? t("palette.searching") : t("palette.empty", { query })}
        </PickerEmpty>
        <PickerGroups groups={new Map(groups.map(({ heading, entries }) => [heading, entries]))}>
          {(entry) => (
            <PickerItem key={entry.id} value={entry.id} onSelect={() => choose(entry)}>
              <Line entry={entry} query={query} />
            </PickerItem>
          )}
        </PickerGroups>
      </PickerList>
      <VisuallyHidden live="polite">
        {query.trim() !== "" && !isSearching ? t("palette.count", { count }) : ""}
      </VisuallyHidden>
    </div>
  );
}

/** The results for the typed text; without text, only the commands. */
function useGroups(query: string, onRead: (section: ManualSection) => void) {
  const all = useAllCommands();
  const dialog = useDialogActions();
  const commands = dialog?.isModal ? commandsOverDialog(all) : all;
  const ofDialog = dialog?.entries ?? [];
  const places = useDestinations();
  const intents = useIntents(query);
  const { groups: found, ...search } = useFound(query, onRead);
  if (query.trim() === "") {
    const groups = groupCommands(commands);
    return {
      groups: dialog && ofDialog.length > 0 ? [dialog, ...groups] : groups,
      ...search,
      making: undefined,
    };
  }
  const ranked = rankCommands(
    [
      ...ofDialog.map((entry) => ({
        ...entry,
        hint: entry.hint ?? dialog?.heading,
        ...(entry.hint !== undefined && { keywords: [entry.hint] }),
      })),
      ...findableCommands(commands),
      ...places,
    ],
    query.trim(),
    defaultFilter,
  );
  const groups = rankGroups({ heading: t("palette.commands"), entries: ranked }, found, query);
  const ofWishes: EntryGroup[] =
    intents.entries.length > 0 ? [{ heading: t("palette.actions"), entries: intents.entries }] : [];
  return {
    // "make" and "ask" are clear requests; other text may be one, but is usually a search.
    groups: intents.isMeant ? [...ofWishes, ...groups] : [...groups, ...ofWishes],
    ...search,
    making: intents.entries.find(({ shortcut }) => shortcut !== undefined),
  };
}

function Line({
  entry: { title, hint, icon: Icon, asset, shortcut },
  query,
}: {
  entry: Entry;
  query: string;
}) {
  const picture = asset && thumbnailUrl(asset, thumbnailSize * devicePixelRatio);
  return (
    <>
      {picture ? (
        <img src={picture} alt="" className={styles.picture} />
      ) : (
        Icon && <Icon className={styles.icon} aria-hidden />
      )}
      <span className={styles.text}>
        {splitMatches(title, query.trim()).map(({ at, text, isMatch }) =>
          isMatch ? <mark key={at}>{text}</mark> : text,
        )}
      </span>
      {hint && <span className={styles.hint}>{hint}</span>}
      {shortcut && <Kbd keys={shortcut} />}
    </>
  );
}

/** A manual section in place of the list. */
function Reading({ section, onBack }: { section: ManualSection; onBack: () => void }) {
  return (
    <article className={styles.reading}>
      <Button variant="ghost" size="small" icon={ArrowLeft} autoFocus onClick={onBack}>
        {t("palette.back")}
      </Button>
      <h3 className={styles.readingTitle}>{section.title}</h3>
      <Markdown text={section.text} />
    </article>
  );
}
