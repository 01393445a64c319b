import { useSyncExternalStore } from "react";
import { appearanceKey } from "./saved-entries.ts";

export type Theme = "system" | "light" | "dark";
type Density = "comfortable" | "compact";
export type Appearance = { theme: Theme; density: Density };

const listeners = new Set<() => void>();
let current: Appearance | undefined;

function read(): Appearance {
  try {
    const stored: Partial<Appearance> = JSON.parse(localStorage.getItem(appearanceKey) ?? "{}");
    return { theme: stored.theme ?? "system", density: stored.density ?? "comfortable" };
  } catch {
    return { theme: "system", density: "comfortable" };
  }
}

const systemDark = () => matchMedia("(prefers-color-scheme: dark)");

function apply({ theme, density }: Appearance): void {
  const isDark = theme === "dark" || (theme === "system" && systemDark().matches);
  const { dataset } = document.documentElement;
  dataset.theme = isDark ? "dark" : "light";
  if (density === "compact") dataset.density = density;
  else delete dataset.density;
}

/** The device's appearance settings. */
const getAppearance = (): Appearance => {
  current ??= read();
  return current;
};

/** Applies a change immediately and saves it on the device. */
export function setAppearance(change: Partial<Appearance>): void {
  current = { ...getAppearance(), ...change };
  try {
    localStorage.setItem(appearanceKey, JSON.stringify(current));
  } catch {
    // If storage is full, the choice lasts until the page closes.
  }
  apply(current);
  for (const listener of listeners) listener();
}

/** Adopts the theme of a person's account if the device has no choice of its own. */
export function startWithTheme(theme: Theme): void {
  try {
    if (localStorage.getItem(appearanceKey) === null && theme !== "system")
      setAppearance({ theme });
  } catch {
    // Without storage, the system's theme applies.
  }
}

/**
 * Follows the system's theme and the choices of other tabs.
 * @returns a function that stops following
 */
export function followAppearance(): () => void {
  const query = systemDark();
  const again = () => apply(getAppearance());
  const onStorage = (event: StorageEvent) => {
    if (event.key !== appearanceKey) return;
    current = read();
    again();
    for (const listener of listeners) listener();
  };
  query.addEventListener("change", again);
  addEventListener("storage", onStorage);
  return () => {
    query.removeEventListener("change", again);
    removeEventListener("storage", onStorage);
  };
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function useAppearance(): [Appearance, (change: Partial<Appearance>) => void] {
  return [useSyncExternalStore(subscribe, getAppearance), setAppearance];
}
