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
  run: () => void;
};

/** The commands of everything that is mounted now. */
export type CommandRegistry = {
  all: () => readonly Command[];
  /** Does what a command does, for a button elsewhere; nothing when it is not on the page. */
  run: (id: string) => void;
  set: (owner: string, commands: readonly Command[]) => void;
  remove: (owner: string) => void;
  subscribe: (listener: () => void) => () => void;
};

function createCommandRegistry(): CommandRegistry {
  const byOwner = new Map<string, readonly Command[]>();
  const listeners = new Set<() => void>();
  let all: readonly Command[] = [];
  const changed = () => {
    all = [...byOwner.values()].flat();
    for (const listener of listeners) listener();
  };
  return {
    all: () => all,
    run: (id) => all.find((command) => command.id === id)?.run(),
    set(owner, commands) {
      byOwner.set(owner, commands);
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
export function useCommands(commands: readonly Command[]): void {
  const registry = useCommandRegistry();
  const owner = useId();
  useEffect(() => registry.set(owner, commands));
  useEffect(() => () => registry.remove(owner), [registry, owner]);
}

/** Every command on the page now, kept up to date. */
export function useAllCommands(): readonly Command[] {
  const registry = useCommandRegistry();
  return useSyncExternalStore(registry.subscribe, registry.all);
}
