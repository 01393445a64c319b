/** What global-setup.ts hands to every test file of a run, through Vitest's `provide` and `inject`. */
export type RunContext = {
  /** A folder of this run's own, removed when it ends. */
  runFolder: string;
  /** POST here to get the URL of a fresh PostgreSQL database as plain text. The cluster starts with the first request. */
  databaseServiceUrl: string;
};

declare module "vitest" {
  interface ProvidedContext extends RunContext {}
}
