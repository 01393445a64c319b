import { grouped } from "../counts.ts";

/** Errors in a provider’s answer. */
export const answers = {
  noEmbedding: "The answer contains no embedding.",
  unreadablePart: ({ host }: { host: string }) =>
    `${host} sent an answer with an unreadable part. The partial answer is saved.`,
  endedInFrame: "The answer ended inside a frame.",
  brokenFrame: ({ fault }: { fault: string }) =>
    `The answer contains a frame with ${fault}. The partial answer is saved.`,
  noPicture: "The answer contains no picture.",
  channelMissing: ({ channel, count }: { channel: number; count: number }) =>
    `Channel ${channel} of ${count} has no transcript.`,
  formatMissing: ({ format }: { format: string }) => `${format} of the transcript is missing.`,
  falWebPage: "The address returned a web page instead of fal’s API.",
  notJson: "The answer is not JSON.",
  streamEnded: "The stream broke off before the result arrived.",
  falWebPageStatus: ({ status }: { status: number }) =>
    `The address returned ${status} with a web page instead of fal’s API.`,
  falEmpty404: "The address returned 404 with an empty body instead of fal’s API.",
  noReason: "The provider gave no reason.",
  searchedFor: ({ queries }: { queries: string }) => `Searched the documents for ${queries}.`,
  codeFailed: ({ reason }: { reason: string }) => `The code failed: ${reason}.`,
  filesLeft: ({ most, left, names }: { most: number; left: number; names: string }) =>
    `This answer made more than ${most} files. Not saved: ${left} more (${names}).`,
  claudePaused:
    "Claude paused this answer while it ran code. Send “continue” to finish the answer.",
  googleNoSound: "Google returned no audio.",
  googleSoundFiltered: "Google returned no audio. Its filter stopped it, or the text has no words.",
  malformedToolCall: "The model wrote an unreadable tool call and stopped. Retry the answer.",
  promptRefused: ({ reason }: { reason: string }) => `Google refused this prompt: ${reason}.`,
  googlePictureFiltered: "Google’s filter blocked the picture.",
  noPictureMade: "The model returned no picture.",
  googlePicturesFiltered: "Google’s filter removed every picture.",
  googleVideosFiltered: "Google’s filter removed every video.",
  googleNoVideo: "Google’s answer contains no video.",
  lumaNoFile: "Luma reports the generation as done but returned no file.",
  lineNotObject: "A line of the answer is not an object.",
  ollamaCutOff: "Ollama’s answer ended without its last line.",
  ollamaNoVector: "Ollama returned no embedding.",
  lineTooLong: ({ bytes }: { bytes: number }) =>
    `A line of the answer has more than ${grouped(bytes)} bytes.`,
  endedInLine: "The answer ended in the middle of a line.",
  lineNotJson: "A line of the answer is not JSON.",
  filtered: ({ reasons }: { reasons: string }) =>
    `The provider’s content filter stopped this answer: ${reasons}.`,
  unreadableLine: ({ host }: { host: string }) =>
    `${host} sent an unreadable line. The partial answer is saved.`,
  resultMissing: ({ host }: { host: string }) => `${host} did not return the requested result.`,
  pictureMissing: ({ index, count }: { index: number; count: number }) =>
    `Picture ${index} of ${count} is missing from the answer.`,
  modelLoading: ({ host }: { host: string }) =>
    `The model is still loading at ${host}. Try again in a moment.`,
  modelNotLoaded: ({ host }: { host: string }) =>
    `The model is not loaded at ${host}. Load it under the connection, then try again.`,
  endlessSound: "The recording never ends.",
  unreadableLineOnly: ({ host }: { host: string }) => `${host} sent an unreadable line.`,
  tooLarge: "The answer exceeds the size limit.",
  endpointNotJson: "The endpoint’s answer is not JSON.",
  hugeLine: "A line of the answer exceeds the size limit.",
  webPage: ({ host }: { host: string }) =>
    `${host} returned a web page. Check the address: it often ends in /v1.`,
  hostNotJson: ({ host }: { host: string }) => `${host} sent an answer that is not JSON.`,
  noSound: "The answer contains no audio.",
  foreign: ({ host, status, said }: { host: string; status: number; said: string }) =>
    `${host} returned ${status} with ${said ? `“${said}”` : "an empty body"}. This is not the provider’s error format.`,
  wasFiltered: "The provider filtered the answer.",
  filteredFor: ({ message, categories }: { message: string; categories: string }) =>
    `${message} Filtered for: ${categories}.`,
  pictureLeftOut: ({ reason }: { reason: string }) => `A picture was left out. ${reason}`,
  googleNoPicture: ({ reason }: { reason: string }) => `Google returned no picture. ${reason}`,
  rewrittenPrompt: ({ prompt }: { prompt: string }) =>
    `The model used its own version of the prompt: ${prompt}`,
  tooMuchToRead: ({ host, reason }: { host: string; reason: string }) =>
    `${host} sent too much to read. ${reason}`,
  noFinish: "The answer ended without a finish reason.",
  serverStopped: "The server stopped during this answer.",
  serverDied: "The server stopped during this answer. The last second may be missing.",
  moreAfterEnd: "More of this answer arrived after the run had ended. It is saved.",
};
