/** The oldest versions that Bottega runs in: the first with oklch(), color-mix(), :has() and Array.toSorted together. */
export const oldestBrowsers = {
  chrome: "111",
  edge: "111",
  firefox: "121",
  safari: "16.4",
} as const;

/** What the build writes its scripts and styles for. */
export const buildTarget = Object.entries(oldestBrowsers).map(
  ([name, version]) => `${name}${version}`,
);
