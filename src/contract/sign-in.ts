/** The screens that lead to a sign-in at a connection's server, and to which the person returns. */
export const signInPlaces = ["admin", "settings", "project"] as const;
export type SignInPlace = (typeof signInPlaces)[number];

/**
 * The outcome of a sign-in, in the screen's address (`signIn=`): signed in; signed in, but the
 * server doesn't answer; not allowed there; refused by the server; not reachable; with a used or
 * expired sign-in or another person's; failed here.
 */
export const signInOutcomes = [
  "done",
  "unusable",
  "denied",
  "refused",
  "unreachable",
  "over",
  "failed",
] as const;
export type SignInOutcome = (typeof signInOutcomes)[number];
