import type { RouteTable } from "../route.ts";

const target = { kind: "connection", from: "param", name: "connectionId" } as const;
const project = { kind: "project", from: "query", name: "projectId" } as const;
/** Connections and the models they bring. A secret goes in and never comes out. */
export const connectionRoutes = {
  listKinds: {
    method: "GET",
    path: "/api/v1/connection-kinds",
    permission: "self",
    summary: "The kinds of service one can connect, with their fields.",
  },
  lookForServers: {
    method: "POST",
    path: "/api/v1/connections/look-around",
    permission: "instance",
    summary: "Look for local model servers and keys in the environment.",
  },
  listConnections: { method: "GET", path: "/api/v1/connections", permission: "self", summary: "The connections one may use or manage." },
  createConnection: {
    method: "POST",
    path: "/api/v1/connections",
    permission: "self",
    summary: "Connect a service: of one's own, or of the instance.",
    errors: ["conflict"],
  },
  getConnection: {
    method: "GET",
    path: "/api/v1/connections/:connectionId",
    permission: "connection:use",
    target,
    summary: "One connection.",
  },
  updateConnection: {
    method: "PATCH",
    path: "/api/v1/connections/:connectionId",
    permission: "connection:manage",
    target,
    summary: "Rename, change addresses, put in a new key, disable.",
  },
  removeConnection: {
    method: "DELETE",
    path: "/api/v1/connections/:connectionId",
    permission: "connection:manage",
    target,
    summary: "Remove a connection; what was made with it stays.",
    errors: ["conflict"],
  },
  checkConnection: {
    method: "POST",
    path: "/api/v1/connections/:connectionId/check",
    permission: "connection:manage",
    target,
    summary: "One free call, and the list of models.",
  },
  listLocalModels: {
    method: "GET",
    path: "/api/v1/connections/:connectionId/local-models",
    permission: "connection:use",
    target,
    summary: "What a local server has loaded.",
  },
  pullLocalModel: {
    method: "POST",
    path: "/api/v1/connections/:connectionId/local-models",
    permission: "connection:manage",
    target,
    summary: "Let a local server pull a model; progress as an event stream.",
    answer: "events",
  },
  removeLocalModel: {
    method: "DELETE",
    path: "/api/v1/connections/:connectionId/local-models",
    permission: "connection:manage",
    target,
    summary: "Let a local server delete a model.",
  },
  listModels: {
    method: "GET",
    path: "/api/v1/models",
    permission: "view",
    target: project,
    summary: "Every model one may use in a project.",
  },
  getModel: {
    method: "GET",
    path: "/api/v1/models/:connectionId",
    permission: "view",
    target: project,
    summary: "A model with its schema.",
  },
} as const satisfies RouteTable;
