import type { InstanceRole, ModelRef, ProjectRole, Visibility } from "#contract/entities.ts";
import { hasScope, type KeyScope } from "#contract/key-scopes.ts";
import type { Permission } from "#contract/route.ts";
import type { NeededScope } from "#contract/routes/scopes.ts";
import type { WaitingReason } from "#contract/waiting-reasons.ts";

/** The person who makes a request. Every role needs a membership to access a project. */
export type Actor = {
  userId: string;
  role: InstanceRole;
  status: "active" | "suspended";
  /** Set for a request with an API key, which narrows the person's rights to one project. */
  key?: {
    id: string;
    projectId: string;
    scopes: readonly KeyScope[];
    /**
     * The models and aliases that the key may use; null or undefined for all that the person may.
     */
    models?: readonly ModelRef[] | null;
    /** Its answers continue after their program has closed the connection. */
    keepsRunning?: boolean;
    expiresAt: number | null;
  };
};

/** The object of a request, as the store found it for this actor. */
export type Scope = {
  projectId?: string;
  /** The actor's role in the project, if they are a member. */
  projectRole?: ProjectRole;
  /** The author; with visibility "author" nobody else sees the object. */
  authorId?: string;
  visibility?: Visibility;
  connection?: { scope: "instance" | "user" | "project"; scopeId: string | null };
  /** The object belongs to the instance and to no project. */
  isOfInstance?: boolean;
};

/**
 * `hidden`: the object must appear not to exist. `refused`: the actor may see it, but not do this.
 */
export type Verdict = "allowed" | "refused" | "hidden" | "signed-out";

const isAdmin = (actor: Actor): boolean => actor.role === "owner" || actor.role === "admin";
const rank: Record<ProjectRole, number> = { viewer: 0, editor: 1, manager: 2 };
const needed = { view: "viewer", edit: "editor", manage: "manager" } as const satisfies Partial<
  Record<Permission, ProjectRole>
>;

/** Decides whether an actor may do something. Every route, socket and stream uses this function. */
export function decide(
  actor: Actor | undefined,
  permission: Permission,
  scope: Scope = {},
): Verdict {
  if (permission === "public") return "allowed";
  if (actor?.status !== "active") return "signed-out";
  const limit = limitOfKey(actor, permission, scope);
  if (limit) return limit;
  switch (permission) {
    case "self":
      return "allowed";
    case "people":
    case "instance":
      return isAdmin(actor) ? "allowed" : "refused";
    case "connection:use":
    case "connection:manage":
      return decideConnection(actor, permission, scope);
    case "webhook:manage":
      if (scope.isOfInstance) return isAdmin(actor) ? "allowed" : "hidden";
      return decideProject(actor, "manage", scope);
    default:
      return decideProject(actor, permission, scope);
  }
}

const ofInstance: readonly Permission[] = ["people", "instance"];
const ofManagers: readonly Permission[] = ["manage", "connection:manage", "webhook:manage"];

/**
 * The limits of a key beyond its owner's: it can't access other projects or the instance, change
 * its owner's data outside the project, or, without the scope `admin`, do what the project's
 * managers do.
 */
function limitOfKey({ key }: Actor, permission: Permission, scope: Scope): Verdict | undefined {
  if (!key) return undefined;
  if (scope.isOfInstance || (scope.projectId !== undefined && scope.projectId !== key.projectId))
    return "hidden";
  if (ofInstance.includes(permission)) return "refused";
  if (!ofManagers.includes(permission)) return undefined;
  return hasScope(key.scopes, "admin") && scope.projectId === key.projectId ? undefined : "refused";
}

/** Whether the request has no key, or its key has a scope that the route needs. */
export const hasNeededScope = ({ key }: Actor, needed: NeededScope): boolean =>
  !key ||
  needed === "any" ||
  (needed !== "never" && needed.some((scope) => hasScope(key.scopes, scope)));

/**
 * Whether a key limited to these models may use this one. An alias counts as a model of its own.
 */
export const isAmong = (models: readonly ModelRef[] | null | undefined, ref: ModelRef): boolean =>
  !models ||
  models.some(
    ({ connectionId, modelId }) => connectionId === ref.connectionId && modelId === ref.modelId,
  );

/** The person's projects that the actor may know of: all, or the key's one. */
export const inReach = <T extends { id: string }>({ key }: Actor, projects: readonly T[]): T[] =>
  projects.filter(({ id }) => !key || id === key.projectId);

function decideProject(
  actor: Actor,
  permission: "view" | "edit" | "manage" | "author",
  scope: Scope,
): Verdict {
  if (!scope.projectRole) return "hidden";
  if (scope.visibility === "author" && scope.authorId !== actor.userId) return "hidden";
  if (permission === "author")
    return scope.authorId === actor.userId && rank[scope.projectRole] >= rank.editor
      ? "allowed"
      : "refused";
  return rank[scope.projectRole] >= rank[needed[permission]] ? "allowed" : "refused";
}

function decideConnection(
  actor: Actor,
  permission: "connection:use" | "connection:manage",
  scope: Scope,
): Verdict {
  const connection = scope.connection;
  if (!connection) return "hidden";
  if (connection.scope === "instance")
    return permission === "connection:use" || isAdmin(actor) ? "allowed" : "refused";
  if (connection.scope === "user")
    return connection.scopeId === actor.userId ? "allowed" : "hidden";
  return decideProject(actor, permission === "connection:use" ? "edit" : "manage", scope);
}

/** The permission that approving a waiting run requires. */
export const approvalPermissions = {
  restore: "edit",
  copy: "edit",
  overtaken: "edit",
  manager: "manage",
  admin: "instance",
  asker: "author",
} as const satisfies Record<WaitingReason, Permission>;

/**
 * Whether an admin may change another person's account. Only owners may change an owner or grant a
 * higher role than admin.
 */
export function mayChangePerson(
  actor: Actor,
  person: { id: string; role: InstanceRole },
  change: { role?: InstanceRole },
): boolean {
  if (!isAdmin(actor)) return false;
  if (actor.role === "owner") return true;
  return person.role !== "owner" && change.role !== "owner";
}

/**
 * The subject of a model rule as it is stored: `user:` and `project:` have an id. Every rule
 * includes admins.
 */
export type ModelSubject = "everyone" | "admins" | `user:${string}` | `project:${string}`;

/** The subjects that a rule can grant a model to for this person and project. */
export const modelSubjects = (userId: string, projectId: string | undefined): ModelSubject[] => [
  "everyone",
  `user:${userId}`,
  ...(projectId === undefined ? [] : [`project:${projectId}` as const]),
];

export type ModelRules = {
  /** The rule for this model; empty if there is none. */
  ofModel: readonly string[];
  /** The rule for every model of its connection. */
  ofConnection: readonly string[];
  /** The rule for every model of the shared connections. */
  ofInstance: "everyone" | "admins";
};

/**
 * Whether a model of a shared connection is available: the most specific rule decides. Personal and
 * project connections need no rule, because their keys belong to those who use them.
 */
export function mayUseModel(
  role: InstanceRole,
  subjects: readonly ModelSubject[],
  rules: ModelRules,
): boolean {
  if (role !== "member") return true;
  const nearest =
    [rules.ofModel, rules.ofConnection, [rules.ofInstance]].find((rule) => rule.length > 0) ?? [];
  return subjects.some((subject) => nearest.includes(subject));
}

/** Whether a person may add a connection of their own. */
export const mayConnect = ({ role }: Pick<Actor, "role">, membersConnect: boolean): boolean =>
  role !== "member" || membersConnect;

/** Whether an actor may list everyone's API keys. Anyone may list their own. */
export const seesAllKeys = (actor: Actor): boolean => decide(actor, "instance") === "allowed";
