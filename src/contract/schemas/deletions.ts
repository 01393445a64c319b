import { z } from "zod";
import { id, micros, time } from "../entities.ts";
import { page } from "../filters/page.ts";
import { searchedText } from "../filters/searched-text.ts";

const projectParam = z.object({ projectId: id });
const count = z.int().nonnegative();
/**
 * Runs that have to end first. With `settles` the deletion ends them: runs are canceled,
 * unconfirmed ones booked at their reservation.
 */
const open = z.object({ runs: count, unconfirmed: count, heldMicros: micros });
const projectDeletion = z.object({
  name: z.string(),
  goes: z.object({
    conversations: count,
    messages: count,
    files: count,
    bytes: count,
    collections: count,
    comparisons: count,
    wordLists: count,
    keys: count,
    webhooks: count,
    connections: count,
    budgets: count,
    members: count,
  }),
  /** What stays in the ledger, under the project's name. */
  stays: z.object({ runs: count, spentMicros: micros, unpricedRuns: count }),
  open,
});
const deletion = { params: projectParam, response: projectDeletion };
const deleting = {
  params: projectParam,
  body: z.strictObject({
    /** The project's name, as a confirmation. */
    name: z.string().max(400),
    settles: z.boolean().default(false),
  }),
  /** When the project is erased; until then an admin can restore it. */
  response: z.object({ erasedFrom: time }),
};

export const deletionSchemas = {
  getProjectDeletion: deletion,
  deleteProject: deleting,
  listAdminProjects: {
    query: page.extend({
      /** A part of the name of a project or its owner. */
      q: searchedText.optional(),
    }),
    response: z.object({
      projects: z.array(z.object({ id, name: z.string(), ownerName: z.string() })),
      next: z.string().nullable(),
      count,
    }),
  },
  getAdminProjectDeletion: deletion,
  deleteAdminProject: deleting,
  listDeletedProjects: {
    query: page,
    response: z.object({
      projects: z.array(
        z.object({
          id,
          name: z.string(),
          deletedByName: z.string(),
          deletedAt: time,
          erasedFrom: time,
        }),
      ),
      next: z.string().nullable(),
    }),
  },
  restoreProject: { params: projectParam, response: z.object({}) },
};
