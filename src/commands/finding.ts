export type Check =
  | "balances"
  | "runs"
  | "usage"
  | "months"
  | "key-usage"
  | "key-months"
  | "overages"
  | "unpriced"
  | "unasked"
  | "lost-answers"
  | "searches"
  | "trash"
  | "results"
  | "owner"
  | "keys"
  | "assets"
  | "files"
  | "strays"
  | "stuck";
/** `key` holds the data that the check needs for the repair; it isn't shown. */
export type Finding = {
  check: Check;
  subject: string;
  text: string;
  mended?: string;
  key?: unknown;
};
