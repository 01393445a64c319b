/** Messages of the lists that a model is chosen from. */
export const modelRows = {
  "models.usual": "Starred and recent",
  "models.filter.takes": "Accepts {what}",
  "models.modality.text": "text",
  "models.modality.image": "pictures",
  "models.modality.video": "video",
  "models.modality.audio": "audio",
  "models.modality.3d": "3D models",
  "models.modality.file": "files",
  "models.context": "{count} context",
  "models.search": "Search models",
  "models.list": "Models",
  "models.new": "new",
  "models.deprecated": "deprecated",
  "models.gone": "unavailable",
} as const;
