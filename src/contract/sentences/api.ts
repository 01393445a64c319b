/** Requests to the /v1 API. */
export const api = {
  notTaken: ({ model, parameter }: { model: string; parameter: string }) =>
    `${model} does not support “${parameter}”.`,
  transcriptStream: "A streamed transcript is plain text. Ask for json or text.",
  recordingMissing: "The recording is missing. Send it as the form’s file.",
  modelForm: "The model is missing. Name it as “connection/model”.",
  embeddingsPartly: ({ failed, all }: { failed: number; all: number }) =>
    `${failed} of ${all} parts of this request failed. With an Idempotency-Key, a repeat pays for the failed parts only.`,
  noVector: "The model returned no embedding.",
  fileForm: "The file is not readable. Send a data URL, an https URL, or asset:<id>.",
  runCanceled: ({ run }: { run: string }) => `The run ${run} was canceled.`,
  withdrawnAfterAttempt: ({ run }: { run: string }) =>
    `An earlier attempt of the run ${run} may have been accepted and charged. Check the run before you send this again.`,
  keyEnded: ({ run }: { run: string }) =>
    `The API key ended during the run ${run}. The run continues.`,
  approvalNeeded: "This run needs a budget approval, and an API call can’t wait for one.",
  idempotencyKeyLength: "An idempotency key has 1 to 200 characters.",
  formUnreadable: "This form can’t be read.",
  formNeeded: "The body must be a form (multipart/form-data).",
  formFieldsTooLarge: "The fields of a form can have at most 4 MB.",
  formTooLarge: ({ megabytes }: { megabytes: number }) =>
    `A form can have at most ${megabytes} MB.`,
  tooManyParts: ({ limit }: { limit: number }) =>
    `A form can have at most ${limit} fields and files.`,
  notAFormFile: ({ name }: { name: string }) => `“${name}” is not a file field of this form.`,
  noPartialPictures: "Partial pictures are not supported.",
  modelAndImageNeeded: "The form needs a model and at least one image.",
  pictureCount: ({ most }: { most: number }) => `Enter a number from 1 to ${most}.`,
  onePicture: ({ model }: { model: string }) => `${model} takes one picture.`,
  sizeForm: "Write the size as width x height: 1024x1024.",
  noResponse: ({ id }: { id: string }) => `Response with id “${id}” not found.`,
  noPreviousResponse: ({ id }: { id: string }) => `Previous response with id “${id}” not found.`,
  responseIncomplete: ({ id }: { id: string }) =>
    `The response with id “${id}” is incomplete and can’t be continued.`,
  notStored: "A background response has to be stored. Send it without “store”: false.",
  responseRunning: ({ id }: { id: string }) =>
    `The response with id “${id}” is still running. Cancel it, or wait.`,
  otherTasks: ({ model, tasks }: { model: string; tasks: string }) =>
    `${model} does not support this task. It supports ${tasks}.`,
  toolCallMissing: "This tool result has no matching tool call in the preceding messages.",
  toolNotOffered: ({ name }: { name: string }) =>
    `“${name}” is not one of this request’s tools. Add it to them, or choose another.`,
  hostedChoice: ({ type }: { type: string }) =>
    `The tool “${type}” is not available here, so “tool_choice” can’t require it. Name a function, or send “auto”.`,
  noToolToRequire:
    "“tool_choice” requires a tool, but this request offers none. Send a function in “tools”, or send “auto”.",
  toolsOrFunctions: "A request has tools or functions. Send all of them as tools.",
  filesFollow: "[The files follow.]",
  noItem: ({ id }: { id: string }) => `Item with id “${id}” not found. Send the item itself.`,
  fileDataMissing: "The file is missing. Send it as file_data or file_url.",
  unknownCursor: "This page of the list does not exist. Start from the first page.",
  parameterDropped: ({ parameter }: { parameter: string }) =>
    `This model does not support “${parameter}”. The request was sent without it.`,
  parameterIgnored: ({ parameter }: { parameter: string }) =>
    `The parameter “${parameter}” has no effect.`,
  runCanceledPlain: "This run was canceled.",
  unknownParameters: ({ names }: { names: string }) =>
    `Unknown query parameters: ${names}. Check their spelling, or leave them out.`,
  jsonNeeded: "The body must be JSON.",
};
