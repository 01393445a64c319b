import type { RouteTable } from "../route.ts";

/** The management of people by owners and admins, who don't see into other people's projects. */
export const peopleRoutes = {
  listPeople: {
    method: "GET",
    path: "/api/v1/people",
    permission: "people",
    summary: "List the people of the instance by name, and their open one-time links.",
  },
  createInvite: {
    method: "POST",
    path: "/api/v1/people/invites",
    permission: "people",
    summary: "Create a one-time invitation link. The link is shown once.",
    errors: ["conflict"],
  },
  removeInvite: {
    method: "DELETE",
    path: "/api/v1/people/invites/:inviteId",
    permission: "people",
    summary: "Revoke a one-time link.",
  },
  updatePerson: {
    method: "PATCH",
    path: "/api/v1/people/:userId",
    permission: "people",
    target: { kind: "person", from: "param", name: "userId" },
    summary: "Set a person's role, suspend or restore them.",
    errors: ["conflict"],
  },
  createPasswordLink: {
    method: "POST",
    path: "/api/v1/people/:userId/password-link",
    permission: "people",
    target: { kind: "person", from: "param", name: "userId" },
    summary: "Create a one-time link for a new password.",
  },
  handOver: {
    method: "POST",
    path: "/api/v1/people/:userId/hand-over",
    permission: "people",
    target: { kind: "person", from: "param", name: "userId" },
    summary: "Transfer a suspended person's projects.",
    errors: ["conflict"],
  },
  getPersonDeletion: {
    method: "GET",
    path: "/api/v1/people/:userId/deletion",
    permission: "people",
    target: { kind: "person", from: "param", name: "userId" },
    summary:
      "Preview the deletion of a person: deleted, transferred and remaining data, and runs that must end first.",
  },
  deletePerson: {
    method: "POST",
    path: "/api/v1/people/:userId/delete",
    permission: "people",
    target: { kind: "person", from: "param", name: "userId" },
    summary: "Delete a person and their private data. The ledger lists amounts under a number.",
    errors: ["conflict"],
  },
} as const satisfies RouteTable;
