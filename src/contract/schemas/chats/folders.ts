import { z } from "zod";
import { conversationFolder, id, name } from "../../entities.ts";
import { limits } from "../../limits.ts";
import { tagName } from "../tag-name.ts";

const folderParam = z.object({ folderId: id });
const conversationParam = z.object({ conversationId: id });
const filing = z.object({ folderId: id.nullable(), tags: z.array(z.string()) });

export const folderSchemas = {
  listFolders: {
    query: z.object({ projectId: id }),
    response: z.object({
      folders: z.array(conversationFolder),
      tags: z.array(z.object({ name: z.string(), conversations: z.int() })),
    }),
  },
  createFolder: {
    body: z.strictObject({ projectId: id, name, parentId: id.nullable().default(null) }),
    response: z.object({ folder: conversationFolder }),
  },
  updateFolder: {
    params: folderParam,
    body: z.strictObject({ name: name.optional(), parentId: id.nullable().optional() }),
    response: z.object({ folder: conversationFolder }),
  },
  removeFolder: { params: folderParam, response: z.object({}) },
  getFiling: { params: conversationParam, response: filing },
  fileConversation: {
    params: conversationParam,
    body: z.strictObject({
      folderId: id.nullable().optional(),
      tags: z.array(tagName).max(limits.tagsPerConversation).optional(),
    }),
    response: filing,
  },
  renameConversationTag: {
    /** `to` null removes the tag. */
    body: z.strictObject({ projectId: id, name: tagName, to: tagName.nullable() }),
    response: z.object({}),
  },
};
