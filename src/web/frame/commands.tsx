import type { LucideIcon } from "lucide-react";
import { createContext, type ReactNode, useContext, useState } from "react";
import { createOffers, type Offers, useOffer, useOffers } from "../ui/offers.ts";
import {
  ActiveElementContext,
  createActiveElement,
  useActiveElementTracking,
} from "./active-element.ts";

/** Components that handle keys themselves; list-shortcuts.ts names their keys. */
export type KeyedPart =
  | "composer"
  | "thread"
  | "dictation"
  | "grid"
  | "dates"
  | "viewer"
  | "crop"
  | "canvas"
  | "find";

/** A currently available action, listed in the palette, and under "?" if it has a shortcut. */
export type Command = {
  /** Unique on the page: "chat.new". */
  id: string;
  title: string;
  /** The heading in the palette and under "?". */
  group: string;
  icon?: LucideIcon;
  /** "mod+k", "n", "g h". Plain keys don't fire while typing. */
  shortcut?: string;
  /** Further search words. */
  keywords?: readonly string[];
  /** The target of the command, if the heading doesn't name it. */
  hint?: string;
  /** Belongs to the row that the person is in; listed first. */
  isOfRow?: boolean;
  /**
   * One of many, such as a filter's values, or mostly used by its key, such as zooming: the palette
   * lists it only in a search.
   */
  isFoundOnly?: boolean;
  /** Nothing to run from the palette: the palette itself, or a component's keys. */
  isKeyOnly?: boolean;
  /** The shortcut also works in dialogs and popups, unlike those of the screen behind them. */
  isEverywhere?: boolean;
  /**
   * Not an act but a component that handles keys while it has the focus: listed under "?", never
   * run.
   */
  keysOf?: KeyedPart;
  /** Holding the key repeats the command. */
  repeats?: boolean;
  /** The level at which the command was offered, set by the registry. */
  level?: Level;
  run: () => void;
};

/**
 * `cover` lies over the screen. While one is mounted, the screen's commands are neither offered nor
 * run.
 */
type Level = "shell" | "screen" | "cover";

type Offered = { commands: readonly Command[]; level: Level };

/** The commands of all mounted components. */
export type CommandRegistry = Offers<Offered, readonly Command[]> & {
  /** Runs a command for a button elsewhere; does nothing if the command isn't on the page. */
  run: (id: string) => void;
};

function createCommandRegistry(): CommandRegistry {
  const offers = createOffers((all: readonly Offered[]) => {
    const isCovered = all.some(({ level }) => level === "cover");
    const offered = all
      .filter(({ level }) => !isCovered || level !== "screen")
      .flatMap(({ commands, level }) => commands.map((command) => ({ ...command, level })));
    // Merges an act that has two buttons on the page.
    return [...new Map(offered.map((command) => [command.id, command])).values()];
  });
  return {
    ...offers,
    run: (id) =>
      offers
        .all()
        .find((command) => command.id === id)
        ?.run(),
  };
}

const CommandContext = createContext<CommandRegistry | null>(null);

export function CommandProvider({ children }: { children: ReactNode }) {
  const [registry] = useState(createCommandRegistry);
  const [place] = useState(createActiveElement);
  useActiveElementTracking(place);
  return (
    <CommandContext value={registry}>
      <ActiveElementContext value={place}>{children}</ActiveElementContext>
    </CommandContext>
  );
}

export function useCommandRegistry(): CommandRegistry {
  const registry = useContext(CommandContext);
  if (!registry) throw new Error("Commands need a CommandProvider around them.");
  return registry;
}

/**
 * Offers commands while the component is mounted. Each render offers them again, because their
 * functions change with it.
 */
export function useCommands(commands: readonly Command[], level: Level = "screen"): void {
  const isNone = commands.length === 0 && level !== "cover";
  useOffer(useCommandRegistry(), isNone ? null : { commands, level });
}

const noKeys: readonly Command[] = [];
const run = () => {};
/** Lists a component's keys under "?" while it is mounted and `isOn`. */
export const useKeysOf = (part: KeyedPart, isOn = true, level?: Level): void =>
  useCommands(
    isOn
      ? [{ id: `keys:${part}`, title: "", group: "", keysOf: part, isKeyOnly: true, run }]
      : noKeys,
    level,
  );

/** All commands on the page, kept current. */
export const useAllCommands = (): readonly Command[] => useOffers(useCommandRegistry());
