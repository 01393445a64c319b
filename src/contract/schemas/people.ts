import { z } from "zod";
import { email, id, instanceRole, invite, micros, user } from "../entities.ts";
import { page } from "../filters/page.ts";
import { searchedText } from "../filters/searched-text.ts";
import { limits } from "../limits.ts";

const userParam = z.object({ userId: id });
const link = z.object({ invite, link: z.string() });
const count = z.int().nonnegative();
const named = z.object({ id, name: z.string() });
export const personDeletion = z.object({
  name: z.string(),
  email: z.string(),
  goes: z.object({
    /** Private conversations. */
    conversations: count,
    files: count,
    keys: count,
    sessions: count,
    connections: count,
    /** Projects in which they are the only member who can sign in. */
    projects: z.array(named),
  }),
  /**
   * Work shared in other people's projects, which stays under the person's number or is deleted, as
   * chosen.
   */
  shared: z.object({ conversations: count, files: count, comparisons: count, runs: count }),
  /** Projects that they own with other members, and the next owner of each. */
  handsOver: z.array(
    named.extend({
      to: z.string(),
      /** It still has the default name, with the person's name in it, and gets another. */
      losesName: z.boolean(),
    }),
  ),
  stays: z.object({ spentMicros: micros, unpricedRuns: count }),
  open: z.object({ runs: count, unconfirmed: count, heldMicros: micros }),
});
export const deletingPerson = {
  sharedWork: z.enum(["stays", "goes"]),
  /** Ends open runs first: runs are canceled, unconfirmed ones booked at their reservation. */
  settles: z.boolean().default(false),
};
export const peopleSchemas = {
  listPeople: {
    query: page.extend({
      /** A part of a name or of an email address. */
      q: searchedText.optional(),
      status: z.enum(["active", "suspended"]).optional(),
    }),
    response: z.object({
      people: z.array(user.extend({ projects: z.int() })),
      next: z.string().nullable(),
      /** How many people match the filter. */
      count: z.int(),
      /** Independent of the filter; only on the first page. */
      invites: z.array(invite),
    }),
  },
  createInvite: {
    body: z.strictObject({
      email,
      role: instanceRole.default("member"),
      /** Projects that the inviter manages, which the invited person joins as an editor. */
      projectIds: z.array(id).max(limits.projectsPerInvite).default([]),
    }),
    response: link,
  },
  removeInvite: { params: z.object({ inviteId: id }), response: z.object({}) },
  updatePerson: {
    params: userParam,
    body: z.strictObject({
      role: instanceRole.optional(),
      status: z.enum(["active", "suspended"]).optional(),
    }),
    response: z.object({ person: user }),
  },
  createPasswordLink: { params: userParam, response: link },
  getPersonDeletion: { params: userParam, response: personDeletion },
  deletePerson: {
    params: userParam,
    body: z.strictObject({
      /** The person's address, as a confirmation. */
      email: z.string().max(320),
      ...deletingPerson,
    }),
    response: z.object({}),
  },
  handOver: {
    params: userParam,
    body: z.strictObject({ toUserId: id }),
    response: z.object({ projects: z.int() }),
  },
};
