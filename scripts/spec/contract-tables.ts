import { z } from "zod";
import {
  asset,
  batch,
  change,
  connection,
  conversation,
  invite,
  message,
  model,
  project,
  projectMember,
  run,
  runEvent,
  session,
  upload,
  user,
} from "#contract/entities.ts";
import { errors } from "#contract/errors.ts";
import { limits } from "#contract/limits.ts";
import type { Permission, Route } from "#contract/route.ts";
import { routes } from "#contract/routes/index.ts";
import { type ScreenFacts, screenNames, screens } from "#contract/screens.ts";
import { decide } from "#domain/people/policy.ts";
import { settingsTable } from "#server/settings.ts";
import { screens as screenTitles } from "../../src/web/messages/en/frame/screens.ts";
import { code, table } from "./markdown.ts";
import { screenWords } from "./screens.ts";

/** Tables about the contract: screens, routes, entities, permissions, errors, limits, settings. */
export const contractTables: Record<string, () => string> = {
  screens: () =>
    table(
      ["screen", "address", "for", "layout", "what people do there", "data"],
      screenNames.map((name) => {
        const screen: ScreenFacts = screens[name];
        const { layout, does, data } = screenWords[name];
        return [
          titleOf(screen),
          screen.paths.map(code).join(", "),
          screen.audience,
          layout,
          does.join("; "),
          data.map(code).join(", "),
        ];
      }),
    ),
  navigation: () =>
    table(
      ["screen", "frame", "place", "in the phone's bar", "keys"],
      screenNames.map((name) => {
        const screen: ScreenFacts = screens[name];
        return [
          titleOf(screen),
          screen.frame === "shell" ? "rail and header" : "alone on the page",
          screen.nav ? `rail, ${screen.nav.place}, ${screen.nav.order}` : "",
          screen.nav?.phone ? "yes" : "",
          screen.shortcut ? code(screen.shortcut) : "",
        ];
      }),
    ),
  routes: () =>
    table(
      ["route", "permission", "description"],
      Object.values(routes as Record<string, Route>).map((route) => [
        code(`${route.method} ${route.path}`),
        `${route.permission}${route.target ? ` (${route.target.kind})` : ""}`,
        route.summary,
      ]),
    ),
  entities: () => table(["entity", "fields"], entityRows()),
  permissions: () =>
    table(
      ["permission", ...roles.map(([name]) => name)],
      permissions.map((permission) => [
        permission,
        ...roles.map(([, scope]) => words[decide(scope.actor, permission, scope.scope)]),
      ]),
    ),
  errors: () =>
    table(
      ["code", "status", "text", "what to do", "retry"],
      Object.entries(errors).map(([name, facts]) => [
        code(name),
        String(facts.status),
        facts.text,
        facts.advice,
        facts.retryable ? "yes" : "no",
      ]),
    ),
  limits: () =>
    table(
      ["limit", "value"],
      Object.entries(limits).map(([name, value]) => [code(name), value.toLocaleString("en")]),
    ),
  settings: () =>
    table(
      ["setting", "meaning"],
      Object.values(settingsTable).map((setting) => [code(setting.name), setting.what]),
    ),
};

const titleOf = (screen: ScreenFacts): string =>
  (screenTitles as Record<string, string>)[screen.title] ?? screen.title;

const shown = {
  user,
  session,
  invite,
  project,
  projectMember,
  connection,
  model,
  run,
  runEvent,
  batch,
  asset,
  upload,
  conversation,
  message,
  change,
};

function entityRows(): string[][] {
  return Object.entries(shown).map(([name, entity]) => {
    const schema = z.toJSONSchema(entity, { io: "output", unrepresentable: "any" });
    return [name, Object.keys(schema.properties ?? {}).join(", ")];
  });
}

const permissions: Permission[] = [
  "public",
  "self",
  "people",
  "instance",
  "view",
  "edit",
  "manage",
  "author",
  "connection:use",
  "connection:manage",
];
const words = {
  allowed: "yes",
  refused: "no",
  hidden: "does not exist",
  "signed-out": "sign in",
} as const;
const member = { userId: "me", role: "member", status: "active" } as const;
const inProject = (projectRole: "viewer" | "editor" | "manager") => ({
  actor: member,
  scope: {
    projectId: "p",
    projectRole,
    authorId: "other",
    visibility: "project",
    connection: { scope: "instance", scopeId: null },
  } as const,
});
const roles = [
  ["anonymous", { actor: undefined, scope: {} }],
  ["suspended", { actor: { ...member, status: "suspended" }, scope: {} }],
  [
    "outsider",
    {
      actor: member,
      scope: {
        projectId: "p",
        authorId: "other",
        visibility: "project",
        connection: { scope: "user", scopeId: "other" },
      },
    },
  ],
  ["viewer", inProject("viewer")],
  ["editor", inProject("editor")],
  ["manager", inProject("manager")],
  [
    "admin, not in the project",
    {
      actor: { ...member, role: "admin" },
      scope: {
        projectId: "p",
        authorId: "other",
        visibility: "project",
        connection: { scope: "instance", scopeId: null },
      },
    },
  ],
] as const satisfies readonly (readonly [
  string,
  { actor: Parameters<typeof decide>[0]; scope: Parameters<typeof decide>[2] },
])[];
