import { grouped } from "../counts.ts";

/** Settings that a model does not support: warnings of a run. */
export const settings = {
  logprobsCut: "The log probabilities of the last tokens are missing. The answer has too many.",
  notTaken: ({ setting }: { setting: string }) =>
    `This model doesn’t support the setting “${setting}”, so it was left out.`,
  notInBackground:
    "Code and pictures at OpenAI don’t work in the background, so this setting was left out.",
  noRoomForReasoning: ({ tokens }: { tokens: number }) =>
    `Reasoning needs at least ${grouped(tokens)} tokens, more than the answer’s limit leaves. It was left out.`,
  turnWithoutThinking:
    "Reasoning was left out: the answer in progress began without it, or with another service’s.",
  notTakenHere: ({ setting }: { setting: string }) =>
    `This model doesn’t support the setting “${setting}” on Bedrock, so it was left out.`,
  falNotStored: "This setting was left out: fal would delete the result before its download.",
  toolNotForced: "Ollama can’t force a tool call. The model may answer without one.",
  contextFilled: ({ tokens }: { tokens: number }) =>
    `The conversation fills the context of ${grouped(tokens)} tokens. The model may not see its beginning.`,
  notInOllama: ({ setting }: { setting: string }) =>
    `Ollama has no setting “${setting}”, so it was left out.`,
  noThinking: "This model can’t think before it answers. The setting was left out.",
  schemaNotForced: "This service supports JSON but can’t enforce a schema.",
  maskNeedsPicture: "A mask needs a source picture, so it was left out.",
  notInModel: ({ model, setting }: { model: string; setting: string }) =>
    `${model} has no setting “${setting}”, so it was left out.`,
};
