import type { InstanceRole, ModelRef, ProjectRole, Visibility } from "#contract/entities.ts";
import { hasScope, type KeyScope } from "#contract/key-scopes.ts";
import type { Permission } from "#contract/route.ts";
import type { NeededScope } from "#contract/routes/scopes.ts";
import type { WaitingReason } from "#contract/waiting-reasons.ts";

/** Who asks. A person of any role is in a project only by being its member. */
export type Actor = {
  userId: string;
  role: InstanceRole;
  status: "active" | "suspended";
  /** Asked through a key: the person with less, and of one project alone. */
  key?: {
    id: string;
    projectId: string;
    scopes: readonly KeyScope[];
    /** The models and aliases that it may use; null or left out: all that the person may. */
    models?: readonly ModelRef[] | null;
    expiresAt: number | null;
  };
};

/** What they ask about, as the store found it for this actor. */
export type Scope = {
  projectId?: string;
  /** The actor's role in the project, if they are in it. */
  projectRole?: ProjectRole;
  /** Who made it; with visibility "author" nobody else sees it. */
  authorId?: string;
  visibility?: Visibility;
  connection?: { scope: "instance" | "user" | "project"; scopeId: string | null };
  /** Of the instance itself and of no project. */
  isOfInstance?: boolean;
};

/** `hidden`: it must look as if it did not exist. `refused`: they may see it, but not do this. */
export type Verdict = "allowed" | "refused" | "hidden" | "signed-out";

const isAdmin = (actor: Actor): boolean => actor.role === "owner" || actor.role === "admin";
const rank: Record<ProjectRole, number> = { viewer: 0, editor: 1, manager: 2 };
const needed = { view: "viewer", edit: "editor", manage: "manager" } as const satisfies Partial<
  Record<Permission, ProjectRole>
>;

/** The one answer to "may this actor do this here": every route, socket and stream asks it. */
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
 * What a key can't do even if its owner may: anything of another project or of the instance, to change what its owner has outside the
 * project, and without the scope `admin` what the project's managers do.
 */
function limitOfKey({ key }: Actor, permission: Permission, scope: Scope): Verdict | undefined {
  if (!key) return undefined;
  if (scope.isOfInstance || (scope.projectId !== undefined && scope.projectId !== key.projectId))
    return "hidden";
  if (ofInstance.includes(permission)) return "refused";
  if (!ofManagers.includes(permission)) return undefined;
  return hasScope(key.scopes, "admin") && scope.projectId === key.projectId ? undefined : "refused";
}

/** Whether the key that asks, if one does, has a scope that this route needs. */
export const hasNeededScope = ({ key }: Actor, needed: NeededScope): boolean =>
  !key ||
  needed === "any" ||
  (needed !== "never" && needed.some((scope) => hasScope(key.scopes, scope)));

/** Whether a key that is limited to these models may use this one. An alias is one of its own. */
export const isAmong = (models: readonly ModelRef[] | null | undefined, ref: ModelRef): boolean =>
  !models ||
  models.some(
    ({ connectionId, modelId }) => connectionId === ref.connectionId && modelId === ref.modelId,
  );

/** Those of a person's projects that an actor may know of: all, or a key's one. */
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

/** Who may approve a waiting run. */
export const neededForWord = {
  restore: "edit",
  copy: "edit",
  overtaken: "edit",
  manager: "manage",
  admin: "instance",
  asker: "author",
} as const satisfies Record<WaitingReason, Permission>;

/** What an admin may do to another person's account: never to an owner, unless they are one; never make a higher role than their own. */
export function mayChangePerson(
  actor: Actor,
  person: { id: string; role: InstanceRole },
  change: { role?: InstanceRole },
): boolean {
  if (!isAdmin(actor)) return false;
  if (actor.role === "owner") return true;
  return person.role !== "owner" && change.role !== "owner";
}

/** Of whom a rule about a model speaks, as it is kept: `user:` and `project:` with an id. Admins are in every rule. */
export type ModelSubject = "everyone" | "admins" | `user:${string}` | `project:${string}`;

/** Who asks for a model, and where: what a rule may open it to. */
export const modelSubjects = (userId: string, projectId: string | undefined): ModelSubject[] => [
  "everyone",
  `user:${userId}`,
  ...(projectId === undefined ? [] : [`project:${projectId}` as const]),
];

export type ModelRules = {
  /** Of this model alone; empty where nothing was said of it. */
  ofModel: readonly string[];
  /** Of every model of its connection. */
  ofConnection: readonly string[];
  /** Of every model of the shared connections. */
  ofInstance: "everyone" | "admins";
};

/**
 * Whether a model of a shared connection is open: the nearest rule says so. Personal connections and a project's need no
 * rule: they are whose keys they are.
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

/** Whether an actor may know of everyone's API keys. Anyone knows of their own. */
export const seesAllKeys = (actor: Actor): boolean => decide(actor, "instance") === "allowed";
