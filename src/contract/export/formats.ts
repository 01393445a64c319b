/**
 * A conversation as JSON, for other programs: everything of its tree that who exports it may see. `version` is raised when a field is
 * renamed, removed or given another meaning; fields may be added.
 */
export const conversationFormat = { format: "bottega.conversation", version: 1 } as const;

export const exportFormats = ["page", "md", "json"] as const;
