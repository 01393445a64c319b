/**
 * The message areas of the viewer and of a tile's acts. Both open over any screen and load their
 * own texts.
 */
export const editorAreas = ["edit", "asset", "run"] as const;
export const viewerAreas = ["viewer", "asset", "run"] as const;
