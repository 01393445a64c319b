import type { ErrorCode } from "./errors.ts";

/**
 * The object of a route: the policy loads its project, author and visibility before the handler
 * runs.
 */
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
 * The required permission. `public`: anyone; `self`: any signed-in person, for their own data;
 * `people` and `instance`: owners and admins; `view`, `edit`, `manage`: by the role in the target's
 * project (for a conversation and its runs only the author, until shared); `author`: only the
 * author; `connection:use` and `connection:manage`: by the connection's scope; `webhook:manage`:
 * managers of its project, or admins for the instance's.
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
  /**
   * In addition to invalid_input, not_signed_in, forbidden, not_found and internal, which any route
   * may return.
   */
  errors?: readonly ErrorCode[];
  /** Whether the last parameter takes the rest of the path, including slashes. */
  isDeep?: boolean;
  /**
   * "bytes": streamed, not JSON. "large": JSON that may be large. "files": large JSON in which
   * `data:` addresses are extracted as files on arrival. "form": a form with files, or JSON like
   * "files". "field": JSON, or a page's form with the JSON in its field `json`. A browser saves the
   * answer of a form as it arrives.
   */
  body?: "bytes" | "large" | "files" | "form" | "field";
  /** The response is bytes or an event stream. */
  answer?: "bytes" | "events";
  /**
   * Other programs add query parameters of their own, which are ignored. All other routes of /api
   * refuse unknown ones.
   */
  anyQuery?: boolean;
  /**
   * A browser navigates here: a person who is not signed in is redirected to this path instead of
   * getting a problem.
   */
  signedOut?: string;
  /**
   * The rate limit per network address. Every public route has one; others are limited per person
   * or key.
   */
  rate?: RouteRate;
};
/** `sign-in`: routes where guessing would pay off. `open`: all other public routes. */
export type RouteRate = "sign-in" | "open";
/** A public route without a rate doesn't compile. */
export type RouteTable = Readonly<
  Record<
    string,
    Route &
      ({ permission: Exclude<Permission, "public"> } | { permission: "public"; rate: RouteRate })
  >
>;
