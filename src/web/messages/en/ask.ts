/** Messages of the composer in Chat and Home: the model and the attachments. */
export const ask = {
  "chat.model.unknown": "Unknown model",
  "chat.model.none": "No model",
  "chat.model.noneAtAll": "No model here can chat yet. Connect one first.",
  "chat.model.choose": "Choose a model",
  "chat.model.first": "Choose a model first.",
  "chat.model.chosen": "Model: {name}. Choose another",
  "chat.model.isChosen": "Selected",
  "chat.model.search": "Search models",
  "chat.model.empty": "No models match “{search}”.",
  "chat.model.all": "All models",
  "chat.model.context": "{count} token context",
  "chat.model.pictures": "reads pictures",
  "chat.attach.pasted": "Pasted file",
  "chat.attach.empty": "“{name}” is empty.",
  "chat.attach.tooLarge": "“{name}” is larger than {most}.",
  "chat.attach.notReadable":
    "“{name}” can’t be attached. Use pictures, audio, videos, text or PDF files.",
  "chat.attach.tooMany": "“{name}” was not attached. A message takes at most {most} files.",
  "chat.attach.failed": "“{name}” was not uploaded. {reason}",
} as const;
