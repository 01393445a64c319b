/** The screens from which a person goes to sign in at a connection's server, and to which they come back. */
export const signInPlaces = ["admin", "settings", "project"] as const;
export type SignInPlace = (typeof signInPlaces)[number];

/**
 * How they came back, as the address of the screen says it (`signIn=`): signed in; signed in at a server that then does not
 * answer; not allowed there; refused by the server; not reached; with a sign-in that is used, too old or another person's;
 * failed here.
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
