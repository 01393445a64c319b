import { z } from "zod";
import {
  email,
  id,
  memberInvite,
  name,
  project,
  projectImport,
  projectMember,
  projectRole,
  text,
} from "../entities.ts";
import { limits } from "../limits.ts";

const projectParam = z.object({ projectId: id });
const memberParams = projectParam.extend({ userId: id });
/** `invites`: for its managers; else none. */
const one = z.object({ project, members: z.array(projectMember), invites: z.array(memberInvite) });
export const projectSchemas = {
  listProjects: { response: z.object({ projects: z.array(project) }) },
  createProject: {
    body: z.strictObject({ name, description: text(2_000).default("") }),
    response: one,
  },
  getProject: { params: projectParam, response: one },
  updateProject: {
    params: projectParam,
    body: z.strictObject({
      name: name.optional(),
      description: text(2_000).optional(),
      instructions: text(limits.systemPromptCharacters).optional(),
      archived: z.boolean().optional(),
      /** A member, to whom its owner hands it over. */
      ownerId: id.optional(),
    }),
    response: one,
  },
  exportProject: { params: projectParam },
  importProject: { response: z.object({ import: projectImport }) },
  listImports: { response: z.object({ imports: z.array(projectImport) }) },
  removeImport: { params: z.object({ importId: id }), response: z.object({}) },
  addMember: {
    params: projectParam,
    body: z.strictObject({ email, role: projectRole }),
    response: one,
  },
  updateMember: {
    params: memberParams,
    body: z.strictObject({ role: projectRole }),
    response: one,
  },
  removeMemberInvite: { params: projectParam.extend({ inviteId: id }), response: one },
  removeMember: { params: memberParams, response: one },
};
