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
  attemptReplaced: ({ run }: { run: string }) =>
    `The answer broke off, and the run ${run} started again. Send the request again.`,
  providerWait:
    "The provider asked for a longer wait than a call can take. Send the request again after that.",
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
  modelAndImageNeeded: "The form needs a model and at least one image.",
  pictureCount: ({ most }: { most: number }) => `Enter a number from 1 to ${most}.`,
  mostPictures: ({ model, most }: { model: string; most: number }) =>
    most === 1 ? `${model} takes one picture.` : `${model} takes at most ${most} pictures.`,
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
  firstCallOnly: ({ count }: { count: number }) =>
    `The model made ${count} calls, and “functions” only shows the first one. Send the functions as “tools” to get all of them.`,
  filesFollow: "[The files follow.]",
  earlierAnswersTooLarge:
    "The earlier answers that this request refers to are too large in total. Send the last ones only.",
  pictureMissing: "The picture is missing. Send it as image_url, or as file_id with asset:<id>.",
  notDiarized: ({ model }: { model: string }) =>
    `${model} does not return a transcript by speaker (diarized_json). Choose another response_format.`,
  toolGroup: ({ prefix, description }: { prefix: string; description: string }) =>
    `About the tools whose names begin with ${prefix}: ${description}`,
  toolFound: ({ name }: { name: string }) => `The tool ${name} is available.`,
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

/** Endpoints of OpenAI's and Anthropic's APIs that don't exist here, and what to use instead. */
export const notHere = {
  twice: "This address has /v1 twice. Remove one from the program’s base URL.",
  versionMissing: "This address does not exist. Add /v1 to the program’s base URL.",
  completions:
    "Text completions are not supported, because chat models don’t continue a text. Send it as a message to /v1/chat/completions.",
  moderations:
    "Moderation is not supported. Ask a chat model through /v1/chat/completions, with a JSON Schema as its response_format.",
  translations:
    "Translation of recordings is not supported. Send the recording to /v1/audio/transcriptions, and its text to /v1/chat/completions.",
  variations: "Variations are not supported. Send the picture to /v1/images/edits, with a prompt.",
  batches:
    "Batches are not supported. Send each request alone. With “background”: true, /v1/responses answers immediately and stores the result.",
  files:
    "Files by ID are not supported. Send the file inside the message, as a data URL or an https URL.",
  conversations:
    "Assistants and conversations are not supported. Use /v1/responses with previous_response_id.",
  agents:
    "Hosted agents and skills are not supported. Run the agent yourself, with tools in /v1/messages, /v1/responses or /v1/chat/completions.",
  compact: "Compaction is not supported. Ask a model for a summary, and continue from it.",
  storedChats:
    "Chat completions are not stored. Use /v1/responses: its answers can be read and deleted by their ID.",
  training: "Fine-tuning and evals are not supported. Use them at the provider.",
  organization:
    "Organizations are not managed here. Keys, people and usage are under /api/v1, see the API reference in Bottega.",
  voices: "Custom voices are not supported. Create them at the provider, and send their name.",
  vectorStores:
    "Vector stores are not supported. Compute vectors with /v1/embeddings, and search them yourself.",
  rerank:
    "Reranking is not supported. Compute vectors with /v1/embeddings, and compare them yourself.",
  inputTokens: "Token counts are at /v1/messages/count_tokens, in Anthropic’s format.",
  videos: "/v1 does not make videos. Start a run with POST /api/v1/runs.",
  realtime:
    "Realtime sessions are not supported. Use /v1/audio/transcriptions, /v1/chat/completions and /v1/audio/speech.",
  method: ({ methods }: { methods: string }) => `This address only supports ${methods}.`,
  other: ({ addresses }: { addresses: string }) =>
    `This address does not exist. Check its spelling, or use one of these: ${addresses}.`,
};
