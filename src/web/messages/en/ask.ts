/** Words of asking a model, in Chat and at Home: which one, and what is attached. */
export const ask = {
  "chat.model.unknown": "A model",
  "chat.model.none": "No model",
  "chat.model.noneAtAll": "Nothing here can chat yet: connect a model first.",
  "chat.model.choose": "Choose a model",
  "chat.model.first": "Choose a model first.",
  "chat.model.chosen": "Model: {name}. Choose another",
  "chat.model.isChosen": "Chosen",
  "chat.model.search": "Search models",
  "chat.model.empty": "No model is called “{search}”.",
  "chat.model.all": "All models",
  "chat.model.context": "reads {count} tokens",
  "chat.model.pictures": "sees pictures",
  "chat.attach.pasted": "Pasted file",
  "chat.attach.empty": "“{name}” is empty.",
  "chat.attach.tooLarge": "“{name}” is larger than {most}.",
  "chat.attach.notReadable":
    "“{name}” can't go into a conversation: pictures, recordings, films, text and PDF can.",
  "chat.attach.tooMany": "“{name}” is one too many: a message takes at most {most} files.",
  "chat.attach.failed": "“{name}” was not uploaded. {reason}",
} as const;
