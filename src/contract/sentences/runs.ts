import { grouped } from "../counts.ts";

/** Jobs, results and decisions about runs. */
export const runs = {
  noApprovalFromYou: "This run no longer needs your approval.",
  noApproval: "This run does not need approval.",
  resultTooLarge: ({ bytes, limit }: { bytes: number; limit: number }) =>
    `The result has ${grouped(bytes)} bytes. The limit is ${grouped(limit)} bytes.`,
  resultOverLimit: ({ limit }: { limit: number }) =>
    `The result is larger than the limit of ${grouped(limit)} bytes.`,
  resultCutOff: ({ received, bytes }: { received: number; bytes: number }) =>
    `The result ended after ${grouped(received)} of ${grouped(bytes)} bytes.`,
  resultWebPage: "The provider sent a web page instead of the result.",
  resultGone: ({ status }: { status: number }) =>
    `The provider no longer has the result (${status}).`,
  resultNotResumed: "The download stopped and could not be resumed.",
  otherModel: "This job belongs to another model.",
  unknownStatusOf: ({ provider }: { provider: string }) =>
    `${provider} returned an unknown status.`,
  noSocket: "This job has no socket to follow.",
  unknownAnswer: "The provider returned an unexpected response about this job.",
  generationNotReady: "The generation is not ready.",
  unknownStatus: "The provider returned an unknown status.",
  answerNotReady: "The answer is not ready.",
  answerCanceled: "The answer was canceled.",
  videoNotReady: "The video is not ready.",
  outputRemoved: "Replicate has deleted the output.",
  predictionNotReady: "The prediction is not ready.",
  predictionCanceled: "The prediction was canceled.",
  notFoundAtProvider: ({ words }: { words: string }) =>
    `The provider can’t find this job. It says: ${words}`,
  succeededAlready: "This run succeeded. Create a new run instead.",
  notFinished: "This run has not finished yet. Wait for it, or cancel it.",
  activeAtBackup: "The run was active when the backup of this database was made.",
  activeAtCopy: "The run was active when this copy of the database was made.",
  activeAtTakeOver: "The run was active when another server took over the files.",
  resolveInstead: "The provider may have run this. Resolve the run instead.",
  markedNotMade: "You closed this run as never made.",
  markedMade: "You closed this run as charged. Its result stayed at the provider.",
  notUnconfirmed: "This run is no longer unconfirmed.",
  earlierAttemptAccepted:
    "The provider accepted an earlier attempt after refusing it. Its result is downloaded, and the later attempt is stopped.",
  submitTimeout: "The provider did not answer within a minute.",
  providerCancels: "The provider is canceling this run.",
  providerCantCancel: "The provider can’t cancel this run anymore. Its result will be saved.",
  madeAfterCancel:
    "The provider made this after it was canceled. The result is saved and its cost is booked.",
  madeAfterEnd:
    "The provider made this after the run had ended. The result is saved and its cost is booked.",
  madeTwice: "The provider made this twice. Both results are saved, and both costs are booked.",
  madeByAnother:
    "Another model made this as well. Both results are saved, and both costs are booked.",
  noJobToCheck: "This provider can’t look up a request that it never answered.",
  jobNotDone: "The provider has this job but no result yet.",
  jobNoResult: "Bottega checked this job again. The provider has no result.",
  jobConnectionGone:
    "The provider reported a result after this run had ended. Its connection was deleted, so the result can’t be downloaded.",
  idTaken: ({ owner }: { owner: string }) => `This ID already belongs to ${owner}.`,
  notComparable: ({ owner }: { owner: string }) =>
    `This job can’t be compared with this run yet. It may belong to ${owner}.`,
  sendIdAgain: ({ reason }: { reason: string }) =>
    `${reason} Send the ID again to download it anyway.`,
  resultEmpty: "The provider returned an empty file.",
  resultText: "The provider returned text instead of the result.",
  resultOdd: ({ fault }: { fault: string }) => `The result ${fault}.`,
  resultExpiring: ({ index }: { index: number }) =>
    `Result ${index} is not downloaded yet, and the provider will delete it soon. Bottega retries the download until then.`,
  stillDownloading: "This run has not finished. Its results are still downloading.",
  nothingToDownload: "This run has no more results to download.",
  stoppedBeforeSaving: "The server stopped before this result was saved.",
  resultNotDownloaded: "This result was made but could not be downloaded.",
  lateResult:
    "This result arrived after its server was presumed dead. It is saved, and its cost is not booked again.",
  answerLost:
    "The provider accepted an attempt of this run, but its answer was lost. Check the provider’s console before you pay again.",
  searchesNotCounted: "The web searches of this answer were not counted. Its cost may be too low.",
  noOutput: "The provider returned no output.",
  sourceMissing: "The source run is not in this project.",
  embeddingInputs: "Each embedding input must be a text or a list of tokens, and can’t be empty.",
  tokensNotTaken: "This model takes texts, not tokens. Send the texts themselves.",
  embeddingsTooMany: ({ most }: { most: number }) =>
    `This model takes at most ${most} inputs at a time. Send fewer.`,
  batchTooLarge: ({ count, most }: { count: string; most: string }) =>
    `This makes ${count} results. A batch has at most ${most}. Use fewer choices in the prompt, or fewer of each.`,
  templateTooLong: ({ count, most }: { count: string; most: string }) =>
    `The prompt has ${count} characters. The limit is ${most}.`,
  choicesTooLong: ({ count, most }: { count: string; most: string }) =>
    `With its longest choices, the prompt has ${count} characters. The limit is ${most}. Use shorter choices.`,
  placesTooMany: ({ count, most }: { count: string; most: string }) =>
    `The prompt has choices in ${count} places. The limit is ${most} places.`,
  batchTooLong: ({ count, most }: { count: string; most: string }) =>
    `The prompts of this batch have up to ${count} characters in total. The limit is ${most}. Use a shorter prompt, or fewer choices.`,
  resultNotSaved: "The result was made, but the server could not save it. See the server’s log.",
  endNotSaved: "The server could not save the run’s outcome. See the server’s log.",
  resumesAfterStop: "The server stopped. The run resumes.",
  sentAgain:
    "The server stopped while sending. The request is sent again with the same idempotency key.",
  stoppedBeforeSending: "The server stopped before this was sent.",
  toolMarked: ({ isDone }: { isDone: boolean }) =>
    `The tool call was never answered. The person marked it as ${isDone ? "" : "not "}done.`,
};
