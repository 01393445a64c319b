import { z } from "zod";
import { email, id, instanceRole, invite, user } from "../entities.ts";

const userParam = z.object({ userId: id });
const link = z.object({ invite, link: z.string() });
export const peopleSchemas = {
  listPeople: { response: z.object({ people: z.array(user.extend({ projects: z.int() })), invites: z.array(invite) }) },
  createInvite: {
    body: z.strictObject({
      email,
      role: instanceRole.default("member"),
      /** A project of which the inviter is a manager: the invited person joins it as an editor. */
      projectId: id.nullable().default(null),
    }),
    response: link,
  },
  removeInvite: { params: z.object({ inviteId: id }), response: z.object({}) },
  updatePerson: {
    params: userParam,
    body: z.strictObject({ role: instanceRole.optional(), status: z.enum(["active", "suspended"]).optional() }),
    response: z.object({ person: user }),
  },
  createPasswordLink: { params: userParam, response: link },
  handOver: { params: userParam, body: z.strictObject({ toUserId: id }), response: z.object({ projects: z.int() }) },
};
