import { z } from "zod";
import { email, id, instanceRole, invite, user } from "../entities.ts";
import { page } from "../filters/page.ts";
import { limits } from "../limits.ts";

const userParam = z.object({ userId: id });
const link = z.object({ invite, link: z.string() });
export const peopleSchemas = {
  listPeople: {
    query: page.extend({
      /** A part of a name or of an email address. */
      q: z.string().max(200).optional(),
      status: z.enum(["active", "suspended"]).optional(),
    }),
    response: z.object({
      people: z.array(user.extend({ projects: z.int() })),
      next: z.string().nullable(),
      /** How many people fit the filter. */
      count: z.int(),
      /** Whatever the filter; none behind the first page. */
      invites: z.array(invite),
    }),
  },
  createInvite: {
    body: z.strictObject({
      email,
      role: instanceRole.default("member"),
      /** Projects that the inviter manages: the invited person joins them as an editor. */
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
  handOver: {
    params: userParam,
    body: z.strictObject({ toUserId: id }),
    response: z.object({ projects: z.int() }),
  },
};
