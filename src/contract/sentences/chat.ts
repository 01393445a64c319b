import { grouped } from "../counts.ts";

/** Conversations and their context. */
export const chat = {
  useConversation: "Send a chat message in a conversation instead.",
  empty: "The message is empty. Enter text or attach a file.",
  notAnswerable: "Models can only answer a person’s message or a tool result.",
  onlyInterrupted: "Only an interrupted answer can be continued. Request another answer instead.",
  notSideBySide: "This answer was not requested side by side with others.",
  mergeElsewhere: "Only answers to this message, requested side by side, can be merged.",
  mergeRunning: "Wait until these answers are complete, or stop them, before you merge them.",
  mergeEmpty: "At least two of these answers need text to be merged.",
  askOrAsks: "Send either one model or several, not both.",
  parentMissing: "The message to answer is not in this conversation.",
  forkRunning:
    "An answer is still being written. Wait until it is complete, or stop it, then fork.",
  forkInside: "This answer continues after its tools. Fork from its last message.",
  forkTooLong: ({ messages, bytes }: { messages: number; bytes: number }) =>
    `A fork can have at most ${grouped(messages)} messages and ${grouped(bytes / 1024 ** 2)} MB of text. Fork from an earlier message.`,
  pruneRunning: "An answer below is still being written. Stop the answer, then delete.",
  pruneInside: "This is part of an answer. Delete the whole answer instead.",
  pruneAbove: "The message before this one is deleted too. Restore that message first.",
  deletedSince: "The message of this request was deleted. Send a new request.",
  inTrash: "This conversation is in the trash. Restore it first.",
  notInTrash: "This conversation is not in the trash. Move it there first.",
  deleteRunning: "An answer is still being written. Stop the answer, then delete.",
  noSuchPicture: "The message doesn’t contain this picture.",
  pictureNotLoaded:
    "This picture can’t be loaded. Open its address to view the picture at its source.",
  temporaryNotListed:
    "A temporary chat can’t be renamed, pinned, archived, shared, forked or exported. Start a regular conversation for that.",
  temporaryNoFiles: "A temporary chat takes no files. Attach them in a regular conversation.",
  temporaryNoReading: "Answers of a temporary chat can’t be saved as recordings.",
  temporaryNoFeedback:
    "Answers of a temporary chat can’t be rated. Rate answers in a regular conversation.",
  feedbackOnAnswers: "Only a finished answer can be rated.",
  folderTooDeep: ({ most }: { most: number }) =>
    `Folders can be at most ${most} levels deep. Choose a folder further up.`,
  folderInItself: "A folder can’t be moved into itself. Choose another folder.",
  tooManyFolders: ({ most }: { most: number }) =>
    `You have ${most} folders here, the maximum. Delete one first.`,
  answerRunning: "This answer is still being written. Wait until it is complete, or stop it.",
  leaveOutEndsWithAnswer: "The messages to leave out must end with an answer.",
  answerInConversation: "Request another answer in the conversation instead.",
  shapeTooLong: ({ most }: { most: number }) =>
    `A JSON Schema can have at most ${grouped(most)} characters.`,
  notSchema: "This is not a JSON Schema.",
  shapeNotSupported: ({ model }: { model: string }) =>
    `${model} does not support structured output here. Choose another model, or remove the schema from the conversation’s settings.`,
  contextExceeded: ({
    tokens,
    answer,
    model,
    context,
  }: {
    tokens: number;
    answer: number;
    model: string;
    context: number;
  }) =>
    `This is about ${grouped(tokens)} tokens plus up to ${grouped(answer)} for the answer. ${model} has a context window of ${grouped(context)} tokens.`,
  noTools: "The model does not support tools.",
  noShape: "The model does not support structured output.",
  modelNoTools: ({ model }: { model: string }) => `${model} does not support tools here.`,
  modelNoShape: ({ model }: { model: string }) =>
    `${model} does not support structured output here.`,
  tooLong: ({ most }: { most: number }) =>
    `A conversation can have at most ${grouped(most)} characters.`,
};

/** Text of an exported conversation other than its messages. */
export const exports = {
  untitled: "Untitled conversation",
  systemPrompt: "System prompt",
  by: ({ author, at }: { author: string; at: string }) =>
    `Conversation of ${author}, exported ${at}`,
  reasoning: "Reasoning",
  reasonedFor: ({ seconds }: { seconds: string }) => `Reasoning, ${seconds} s`,
  sources: "Sources",
  files: "Files",
  unknownModel: "Unknown model",
  tool: ({ name, state }: { name: string; state: string }) => `Tool ${name}: ${state}`,
  toolStates: {
    open: "not finished",
    done: "done",
    failed: "failed",
    refused: "declined",
    stopped: "stopped",
  },
  tokens: ({ count }: { count: number }) => `${grouped(count)} tokens`,
  priceUnknown: "price unknown",
  about: ({ price }: { price: string }) => `about ${price}`,
  free: "free",
  rated: {
    up: ({ person }: { person: string }) => `${person} rated this answer good`,
    down: ({ person }: { person: string }) => `${person} rated this answer bad`,
  },
  interrupted: "This answer is incomplete.",
  streaming: "This answer was still being written.",
  fileMissing: ({ name }: { name: string }) => `${name}: this file is missing from the storage.`,
  fileGone: "This file was deleted or is not visible to you.",
};
