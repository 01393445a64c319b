/**
 * A conversation as JSON, for other programs: the whole tree as far as the exporter sees it.
 * `version` is incremented when a field is renamed, removed or changes its meaning; fields may be
 * added.
 */
export const conversationFormat = { format: "bottega.conversation", version: 1 } as const;

export const exportFormats = ["page", "md", "json"] as const;
