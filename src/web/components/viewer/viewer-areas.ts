/** What the viewer and a tile's actions say: they open over any screen, and bring their texts along. */
export const editorAreas = ["edit", "asset", "run"] as const;
export const viewerAreas = ["viewer", "asset", "run"] as const;
