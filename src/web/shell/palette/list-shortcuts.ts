import { groupBy } from "../../data/group-by.ts";
import type { Command, KeyedPart } from "../../frame/commands.tsx";
import type { MessageId } from "../../messages/t.ts";
import { t } from "../../messages/t.ts";

/** Keys with the same effect share one line. */
type ShortcutLine = { id: string; title: string; keys: readonly string[] };
export type ShortcutGroup = { heading: string; lines: ShortcutLine[] };

type PartKeys = { heading: MessageId; lines: readonly (readonly [MessageId, ...string[]])[] };
/** The keys that components handle themselves. */
const keysOfParts: Record<KeyedPart | "palette", PartKeys> = {
  composer: {
    heading: "palette.keys.composer",
    lines: [
      ["palette.keys.composer.send", "enter"],
      ["palette.keys.composer.line", "shift+enter"],
    ],
  },
  thread: {
    heading: "palette.keys.thread",
    lines: [
      ["palette.keys.thread.stop", "escape"],
      ["palette.keys.thread.edit", "up"],
      ["palette.keys.thread.ends", "home", "end"],
    ],
  },
  dictation: {
    heading: "palette.keys.dictation",
    lines: [
      ["palette.keys.dictation.stop", "enter"],
      ["palette.keys.dictation.cancel", "escape"],
    ],
  },
  grid: {
    heading: "palette.keys.grid",
    lines: [
      ["palette.keys.grid.move", "left", "right", "up", "down"],
      ["palette.keys.grid.open", "enter"],
      ["palette.keys.grid.select", "space"],
      ["palette.keys.grid.extend", "shift+left", "shift+right"],
      ["palette.keys.grid.none", "escape"],
    ],
  },
  dates: {
    heading: "palette.keys.dates",
    lines: [
      ["palette.keys.dates.day", "up", "down"],
      ["palette.keys.dates.month", "pgup", "pgdn"],
      ["palette.keys.dates.ends", "home", "end"],
    ],
  },
  viewer: {
    heading: "palette.keys.viewer",
    lines: [["palette.keys.viewer.pan", "shift+left", "shift+right", "shift+up", "shift+down"]],
  },
  crop: {
    heading: "palette.keys.crop",
    lines: [
      ["palette.keys.crop.move", "left", "right", "up", "down"],
      ["palette.keys.crop.pixel", "mod+left", "mod+right", "mod+up", "mod+down"],
      ["palette.keys.crop.size", "shift+left", "shift+right", "shift+up", "shift+down"],
    ],
  },
  canvas: {
    heading: "palette.keys.canvas",
    lines: [
      ["palette.keys.canvas.move", "left", "right", "up", "down"],
      ["palette.keys.canvas.far", "shift+left", "shift+right"],
      ["palette.keys.canvas.down", "space"],
    ],
  },
  find: {
    heading: "palette.keys.find",
    lines: [
      ["palette.keys.find.next", "enter"],
      ["palette.keys.find.before", "shift+enter"],
      ["palette.keys.find.close", "escape"],
    ],
  },
  palette: {
    heading: "palette.keys.palette",
    lines: [
      ["palette.keys.palette.move", "up", "down"],
      ["palette.keys.palette.open", "enter"],
      ["palette.keys.palette.make", "mod+enter"],
    ],
  },
};

/**
 * All keys that work now: the screen's and the shell's, then those of components with their own
 * keys.
 */
export function listShortcuts(commands: readonly Command[]): ShortcutGroup[] {
  const withKeys = commands.flatMap(({ id, title, group, shortcut }) =>
    shortcut ? { id, title, group, keys: [shortcut] } : [],
  );
  const groups = [...groupBy(withKeys, ({ group }) => group)].map(([heading, lines]) => ({
    heading,
    lines,
  }));
  const parts = [...commands.flatMap(({ keysOf }) => keysOf ?? []), "palette" as const];
  return [
    ...groups,
    ...parts.map((part) => {
      const { heading, lines } = keysOfParts[part];
      return {
        heading: t(heading),
        lines: lines.map(([title, ...keys]) => ({ id: title, title: t(title), keys })),
      };
    }),
  ];
}
