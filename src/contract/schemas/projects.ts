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
import { page } from "../filters/page.ts";
import { searchedText } from "../filters/searched-text.ts";
import { limits } from "../limits.ts";

const projectParam = z.object({ projectId: id });
const memberParams = projectParam.extend({ userId: id });
const one = z.object({ project });
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
      /** The member who becomes the owner. */
      ownerId: id.optional(),
    }),
    response: one,
  },
  exportProject: { params: projectParam },
  importProject: { response: z.object({ import: projectImport }) },
  listImports: {
    query: page,
    response: z.object({
      /** Newest first, without dismissed ones. */
      imports: z.array(projectImport),
      next: z.string().nullable(),
    }),
  },
  removeImport: { params: z.object({ importId: id }), response: z.object({}) },
  listMembers: {
    params: projectParam,
    query: page.extend({
      /** A part of a name or of an email address. */
      q: searchedText.optional(),
    }),
    response: z.object({
      members: z.array(projectMember),
      next: z.string().nullable(),
      /** How many members match the search. */
      count: z.int(),
      /** For managers, independent of the search; only on the first page. */
      invites: z.array(memberInvite),
    }),
  },
  addMember: {
    params: projectParam,
    body: z.strictObject({ email, role: projectRole }),
    response: z.object({ invite: memberInvite }),
  },
  updateMember: {
    params: memberParams,
    body: z.strictObject({ role: projectRole }),
    response: z.object({}),
  },
  removeMemberInvite: {
    params: projectParam.extend({ inviteId: id }),
    response: z.object({}),
  },
  leaveProject: { params: z.object({ projectId: id }), response: z.object({}) },
  removeMember: { params: memberParams, response: z.object({}) },
};
