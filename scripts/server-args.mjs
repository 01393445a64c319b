/** What Node is started with to serve: the built modules, and a nursery of 8 MB instead of 32, for an idle server pays for it three times and a busy one gains nothing from more. */
export const serverArgs = [
  "--conditions=bottega-dist",
  "--disable-warning=ExperimentalWarning",
  "--max-semi-space-size=8",
];
