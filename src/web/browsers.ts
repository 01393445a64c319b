/**
 * The oldest supported versions: the first with oklch(), color-mix(), :has() and Array.toSorted
 * together.
 */
export const oldestBrowsers = {
  chrome: "111",
  edge: "111",
  firefox: "121",
  safari: "16.4",
} as const;

/** The build's targets for scripts and styles. */
export const buildTarget = Object.entries(oldestBrowsers).map(
  ([name, version]) => `${name}${version}`,
);
