/**
 * Node's arguments for serving: the built modules, and a nursery of 8 MB instead of 32, because an
 * idle server pays for it three times and a busy one gains nothing from more.
 */
export const serverArgs = [
  "--conditions=bottega-dist",
  "--disable-warning=ExperimentalWarning",
  "--max-semi-space-size=8",
];
