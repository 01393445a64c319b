import type { RouteTable } from "../../route.ts";

const target = { kind: "folder", from: "param", name: "folderId" } as const;
const conversation = { kind: "conversation", from: "param", name: "conversationId" } as const;
const inProject = { kind: "project", from: "body", name: "projectId" } as const;
/** Folders and tags of a person's own conversations, visible to nobody else. */
export const folderRoutes = {
  listFolders: {
    method: "GET",
    path: "/api/v1/conversation-folders",
    permission: "view",
    target: { kind: "project", from: "query", name: "projectId" },
    summary: "List your folders of conversations in a project, and the tags of your conversations.",
  },
  createFolder: {
    method: "POST",
    path: "/api/v1/conversation-folders",
    permission: "edit",
    target: inProject,
    summary: "Create a folder for conversations, at most three levels deep.",
    errors: ["conflict"],
  },
  updateFolder: {
    method: "PATCH",
    path: "/api/v1/conversation-folders/:folderId",
    permission: "author",
    target,
    summary: "Rename a folder of conversations, or move it into another.",
    errors: ["conflict"],
  },
  removeFolder: {
    method: "DELETE",
    path: "/api/v1/conversation-folders/:folderId",
    permission: "author",
    target,
    summary: "Delete a folder. Its conversations and folders move up.",
  },
  getFiling: {
    method: "GET",
    path: "/api/v1/conversations/:conversationId/filing",
    permission: "author",
    target: conversation,
    summary: "Get the folder and tags of one of your conversations.",
  },
  fileConversation: {
    method: "PATCH",
    path: "/api/v1/conversations/:conversationId/filing",
    permission: "author",
    target: conversation,
    summary: "Move one of your conversations to a folder, or set its tags.",
    errors: ["conflict"],
  },
  renameConversationTag: {
    method: "POST",
    path: "/api/v1/conversation-tags/rename",
    permission: "edit",
    target: inProject,
    summary: "Rename a tag of your conversations in a project, or remove it from all of them.",
  },
} as const satisfies RouteTable;
