import type { LucideIcon } from "lucide-react";
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useId,
  useState,
  useSyncExternalStore,
} from "react";

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
  /** Only a shortcut; the palette leaves it out. */
  isKeyOnly?: boolean;
  /** A key that is held down repeats it. */
  repeats?: boolean;
  run: () => void;
};

/** `cover` lies over the screen: while one is mounted, the commands of the screen below are neither offered nor run. */
type Level = "shell" | "screen" | "cover";

/** The commands of everything that is mounted now. */
export type CommandRegistry = {
  all: () => readonly Command[];
  /** Does what a command does, for a button elsewhere; nothing when it is not on the page. */
  run: (id: string) => void;
  set: (owner: string, commands: readonly Command[], level: Level) => void;
  remove: (owner: string) => void;
  subscribe: (listener: () => void) => () => void;
};

function createCommandRegistry(): CommandRegistry {
  const byOwner = new Map<string, { commands: readonly Command[]; level: Level }>();
  const listeners = new Set<() => void>();
  let all: readonly Command[] = [];
  const changed = () => {
    const offers = [...byOwner.values()];
    const isCovered = offers.some(({ level }) => level === "cover");
    all = offers
      .filter(({ level }) => !isCovered || level !== "screen")
      .flatMap(({ commands }) => commands);
    for (const listener of listeners) listener();
  };
  return {
    all: () => all,
    run: (id) => all.find((command) => command.id === id)?.run(),
    set(owner, commands, level) {
      byOwner.set(owner, { commands, level });
      changed();
    },
    remove(owner) {
      byOwner.delete(owner);
      changed();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const CommandContext = createContext<CommandRegistry | null>(null);

export function CommandProvider({ children }: { children: ReactNode }) {
  const [registry] = useState(createCommandRegistry);
  return <CommandContext value={registry}>{children}</CommandContext>;
}

export function useCommandRegistry(): CommandRegistry {
  const registry = useContext(CommandContext);
  if (!registry) throw new Error("Commands need a CommandProvider around them.");
  return registry;
}

/** Offers commands for as long as the component is mounted. */
export function useCommands(commands: readonly Command[], level: Level = "screen"): void {
  const registry = useCommandRegistry();
  const owner = useId();
  useEffect(() => registry.set(owner, commands, level));
  useEffect(() => () => registry.remove(owner), [registry, owner]);
}

/** Every command on the page now, kept up to date. */
export function useAllCommands(): readonly Command[] {
  const registry = useCommandRegistry();
  return useSyncExternalStore(registry.subscribe, registry.all);
}
