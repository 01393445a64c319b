import type { ErrorCode } from "./errors.ts";

/** What a route acts on: the policy loads its project, author and visibility before the handler runs. */
export type TargetKind =
  | "project"
  | "run"
  | "batch"
  | "asset"
  | "tag"
  | "collection"
  | "comparison"
  | "conversation"
  | "folder"
  | "message"
  | "connection"
  | "webhook"
  | "upload"
  | "person";

/**
 * Who may: `public` anyone; `self` any signed-in person, on their own things; `people` and `instance` owners and admins;
 * `view`, `edit`, `manage` by the role in the target's project (a conversation's and its runs' author alone, until shared);
 * `author` only the one who made it; `connection:use` and `connection:manage` by the connection's scope;
 * `webhook:manage` managers of its project, or admins where it is the instance's.
 */
export type Permission =
  | "public"
  | "self"
  | "people"
  | "instance"
  | "view"
  | "edit"
  | "manage"
  | "author"
  | "connection:use"
  | "connection:manage"
  | "webhook:manage";

export type Route = {
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** `:name` marks a parameter. */
  path: string;
  permission: Permission;
  target?:
    | { kind: TargetKind; from: "param" | "query" | "body"; name: string }
    | { kind: "project"; from: "key" }
    | { kind: "project"; from: "query-or-key"; name: string };
  summary: string;
  /** In addition to invalid_input, not_signed_in, forbidden, not_found and internal, which any route may return. */
  errors?: readonly ErrorCode[];
  /** The last parameter takes the rest of the path, slashes included. */
  isDeep?: boolean;
  /** The body is bytes, streamed, not JSON; or JSON that may be large; or that whose `data:` addresses are files, which it leaves as it arrives. */
  body?: "bytes" | "large" | "files";
  /** The answer is bytes or an event stream. */
  answer?: "bytes" | "events";
  /** Another program adds query parameters of its own, which are ignored. Any other route of /api refuses those it doesn't know. */
  anyQuery?: boolean;
  /** A browser navigates here: a person who is not signed in is redirected to this path instead of getting a problem. */
  signedOut?: string;
  /** How often one network address may call it. Each public route has one; others count their person or key. */
  rate?: RouteRate;
};
/** `sign-in`: where guessing would pay. `open`: everything else that needs no one signed in. */
export type RouteRate = "sign-in" | "open";
/** A public route without a rate does not compile. */
export type RouteTable = Readonly<
  Record<
    string,
    Route &
      ({ permission: Exclude<Permission, "public"> } | { permission: "public"; rate: RouteRate })
  >
>;
