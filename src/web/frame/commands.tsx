import type { LucideIcon } from "lucide-react";
import { createContext, type ReactNode, useContext, useState } from "react";
import { createOffers, type Offers, useOffer, useOffers } from "../ui/offers.ts";
import { createPlace, PlaceContext, usePlaceFollowing } from "./at-hand.ts";

/** Parts that handle keys themselves; the list of shortcuts knows which. */
export type KeyedPart = "composer" | "thread" | "grid" | "canvas" | "find";

/** Something a person can do from here: listed in the palette, and under "?" when it has a shortcut. */
export type Command = {
  /** Unique among what is on the page: "chat.new". */
  id: string;
  title: string;
  /** Its heading in the palette and under "?". */
  group: string;
  icon?: LucideIcon;
  /** "mod+k", "n", "g h". Plain keys don't fire while typing. */
  shortcut?: string;
  /** Other words it is found by. */
  keywords?: readonly string[];
  /** What it is done to, where its heading doesn't say it. */
  hint?: string;
  /** Of the row that the person is in: before the others. */
  isOfRow?: boolean;
  /** One of many, such as the choices of a filter: the palette lists it once it is looked for. */
  isFoundOnly?: boolean;
  /** Only a shortcut; the palette leaves it out. */
  isKeyOnly?: boolean;
  /** Its shortcut works in dialogs and popups, too. Those of a screen behind them don't. */
  isEverywhere?: boolean;
  /** No act, but a part of the page that handles keys while it has the focus: listed under "?", never run. */
  keysOf?: KeyedPart;
  /** A key that is held down repeats it. */
  repeats?: boolean;
  /** Where it was offered, which the registry adds. */
  level?: Level;
  run: () => void;
};

/** `cover` lies over the screen: while one is mounted, the commands of the screen below are neither offered nor run. */
type Level = "shell" | "screen" | "cover";

type Offered = { commands: readonly Command[]; level: Level };

/** The commands of everything that is mounted now. */
export type CommandRegistry = Offers<Offered, readonly Command[]> & {
  /** Does what a command does, for a button elsewhere; nothing when it is not on the page. */
  run: (id: string) => void;
};

function createCommandRegistry(): CommandRegistry {
  const offers = createOffers((all: readonly Offered[]) => {
    const isCovered = all.some(({ level }) => level === "cover");
    const offered = all
      .filter(({ level }) => !isCovered || level !== "screen")
      .flatMap(({ commands, level }) => commands.map((command) => ({ ...command, level })));
    // An act with two buttons on the page is one.
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
  const [place] = useState(createPlace);
  usePlaceFollowing(place);
  return (
    <CommandContext value={registry}>
      <PlaceContext value={place}>{children}</PlaceContext>
    </CommandContext>
  );
}

export function useCommandRegistry(): CommandRegistry {
  const registry = useContext(CommandContext);
  if (!registry) throw new Error("Commands need a CommandProvider around them.");
  return registry;
}

/** Offers commands for as long as the component is mounted. Each render offers them anew: what they do has changed with it. */
export function useCommands(commands: readonly Command[], level: Level = "screen"): void {
  const isNone = commands.length === 0 && level !== "cover";
  useOffer(useCommandRegistry(), isNone ? null : { commands, level });
}

const noKeys: readonly Command[] = [];
const run = () => {};
/** Lists the keys of a part under "?" for as long as it is mounted, and `isOn`. */
export const useKeysOf = (part: KeyedPart, isOn = true): void =>
  useCommands(
    isOn
      ? [{ id: `keys:${part}`, title: "", group: "", keysOf: part, isKeyOnly: true, run }]
      : noKeys,
  );

/** Every command on the page now, kept up to date. */
export const useAllCommands = (): readonly Command[] => useOffers(useCommandRegistry());
