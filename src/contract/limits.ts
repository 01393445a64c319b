/**
 * Every constant and limit, each with its unit and reason. The schema, the check and the hint on screen read the same
 * number. Where an operator needs another value, settings.ts names the environment variable.
 */
export const limits = {
  /** The largest file a person may upload: a long 4K video. */
  uploadBytes: 2 * 1024 ** 3,
  /** A part of a file that comes in parts: those of fal's client have a tenth of it. */
  uploadPartBytes: 100 * 1024 ** 2,
  /** The largest picture decoded: past it a 32-bit RGBA buffer takes more than 400 MB. */
  imagePixels: 100_000_000,
  /** The longest side of a picture that is decoded, which is JPEG's own. One pixel wide and 30 million high took half a minute. */
  imageSidePixels: 65_535,
  /** One message of a person: a short novel's chapter; more belongs in a file. */
  messageCharacters: 200_000,
  /** A media prompt; the longest any model of the catalogue reads is far below. */
  promptCharacters: 200_000,
  systemPromptCharacters: 100_000,
  nameCharacters: 200,
  /** The highest budget, in micro-dollars: a billion dollars, far from where whole numbers end. */
  budgetMicrosMost: 1e15,
  attachmentsPerMessage: 20,
  /** Models that answer one message side by side: more columns are not read next to each other. */
  answersPerMessage: 6,
  /** A dictation ends itself there: as Opus for speech it is 14 MB, below what services take (OpenAI: 25 MB). */
  dictationMs: 60 * 60_000,
  /** What a fork copies in one step, which takes about 0.3 s of a core. */
  forkMessages: 2_000,
  forkBytes: 8 * 1024 ** 2,
  /** Why an answer is good or bad: a few sentences. */
  feedbackCharacters: 1_000,
  toolsPerConversation: 32,
  /** Times that a model may ask for tools before it has to answer a person. */
  toolRounds: 16,
  /** Calls per answer. The model is informed of calls beyond it, and they are not started. */
  toolCallsPerAnswer: 16,
  /** What a model reads of one tool's result. */
  toolOutputCharacters: 50_000,
  /** Tools of one server that are offered: more than a person looks through, and than a model chooses well from. */
  toolsPerServer: 128,
  /** Tools of one page of such a list that are looked at. */
  toolsRead: 500,
  /** Models of one connection. */
  modelsPerConnection: 10_000,
  /** A provider's sample picture of a model; what is larger is not shown. */
  modelSampleBytes: 4 * 1024 ** 2,
  /** Of all that are in a server's memory. */
  modelSamplesBytes: 48 * 1024 ** 2,
  /** A picture elsewhere that an answer names; what is larger is not shown. */
  remotePictureBytes: 10 * 1024 ** 2,
  /** A tool's form as JSON: a model reads it with each question. */
  toolSchemaCharacters: 20_000,
  /** What a server of tools may say in one answer: some pictures as base64. */
  toolAnswerBytes: 32 * 1024 ** 2,
  /** Pictures and recordings that are kept of one tool's result. */
  filesPerToolResult: 8,
  /** Files that are kept of one answer, which a model's programs at its provider make: each is fetched by itself. */
  filesPerAnswer: 100,
  /** The names of further files that a run's warning tells. */
  leftFilesNamed: 10,
  /** A tool's silence, and all its time where it tells of its progress. */
  toolSilenceMs: 5 * 60_000,
  toolMostMs: 30 * 60_000,
  /** A tool's question waits so long for the person in the chat. */
  toolQuestionMs: 10 * 60_000,
  /** Fields of such a question, and characters of what it says and of the answer. */
  toolQuestionFields: 20,
  toolQuestionCharacters: 4_000,
  /** A session with a server of tools, and the program that it may be, ends after so long without a call. */
  toolSessionIdleMs: 5 * 60_000,
  variantsPerForm: 16,
  /** Results side by side: eight pictures are as many as a screen shows large enough. */
  comparisonEntries: 8,
  runsPerBatch: 1_000,
  /** Places of a prompt where something is chosen: each is kept with each run. */
  promptPlaces: 1_000,
  /** Of all prompts of a batch that are made from templates: they are in memory together. */
  batchPromptCharacters: 8_000_000,
  wordListsPerProject: 500,
  wordListItems: 10_000,
  /** Of all items of a list together: more than a book. */
  wordListCharacters: 500_000,
  /** Runs at once of text (chat, embedding, rerank, tools) on a hosted connection: services limit tokens a minute, not requests in flight. */
  textPlaces: 64,
  /** Runs at once of everything else on a hosted connection. */
  mediaPlaces: 8,
  /** The most concurrent runs of a local server, which reports its own number: its models share one machine. */
  localPlacesMost: 4,
  /** The most that a person may set. */
  placesMost: 1_000,
  /** A worker's sign of life. */
  workerBeatMs: 5_000,
  /** A worker is dead when its beat has not changed for so long, on the observer's monotonic clock. */
  workerDeadMs: 30_000,
  /** The longest a synchronous API call waits for a free place. Then it gets 429 with Retry-After. */
  placeWaitMs: 30_000,
  /** What a stop has after the drain: to save what has come, and to answer requests. With a drain of 25 s it stays within compose's 30 s. */
  stopMs: 4_000,
  /** Progress, previews and sources of an answer are written, and then told, at most so far apart. */
  eventPauseMs: 100,
  /** The words of an answer are told at once and written at most so far apart. When that is as late again, no more are told until it is done. */
  wordsCheckpointMs: 1_000,
  /** The longest that text deltas of a finished run stay replayable one by one. */
  eventRetentionMs: 60 * 60_000,
  /** The longest answer that is counted on where nobody knows the model's own. */
  chatOutputTokens: 8_192,
  /** Under a blocking budget an answer that nobody limited gets at least and at most so many. */
  chatOutputTokensLeast: 1_024,
  chatOutputTokensMost: 32_768,
  /** Of a small context so large a share is kept free for an answer. */
  chatOutputShare: 1 / 4,
  /** The JSON Schema that answers of a conversation have to match. */
  shapeCharacters: 50_000,
  /** A summary of a conversation: about three pages. */
  summaryTokens: 2_048,
  /** From this share of the context on, its meter warns. */
  contextWarnShare: 0.8,
  /** Folders of conversations in folders: deeper ones do not fit into the list. */
  folderDepth: 3,
  /** Of one person in a project. */
  foldersPerPerson: 200,
  tagsPerConversation: 20,
  /** A model's title: six words, with room for a short thought. */
  titleTokens: 256,
  /** A temporary chat is deleted so long after its last message: long enough to come back to in the morning. */
  temporaryChatMs: 24 * 60 * 60_000,
  /** How long the trash keeps. */
  trashMs: 30 * 24 * 60 * 60_000,
  pageSize: 50,
  pageSizeMost: 200,
  /** Messages of one conversation that a search in it finds. */
  foundMessages: 1_000,
  /** JSON bodies: a message of the most characters, escaped, with room. */
  jsonBodyBytes: 4 * 1024 ** 2,
  /** The most JSON that the main thread parses. A worker thread parses more. */
  jsonHereBytes: 1024 ** 2,
  /** The JSON of a route that anyone may call. */
  publicJsonBytes: 64 * 1024,
  /** What is buffered for a socket whose reader has stopped reading, before it is closed. */
  socketBufferBytes: 1024 ** 2,
  sessionMs: 30 * 24 * 60 * 60_000,
  /** Backups that one folder keeps: three months of nights. */
  backupsKept: 100,
  /** Projects that one link to join can lead into. */
  projectsPerInvite: 50,
  inviteMs: 7 * 24 * 60 * 60_000,
  /** What is left of a link or an invitation after its end, used or not: the audit log says for good who invited whom. */
  inviteMemoryMs: 30 * 24 * 60 * 60_000,
  /** Requests a minute of one network address at what anyone may call: a page of pictures by signed addresses, a batch's webhooks. */
  openPerMinute: 1_200,
  /** Requests a minute of one signed-in person: a library that is scrolled fast asks for some thousand thumbnails. */
  personPerMinute: 6_000,
  /** Sockets of one person: each tab has one. */
  socketsPerPerson: 64,
  /** Requests a minute with one API key, unless it was given another rate. Kept by each server for itself. */
  keyRatePerMinute: 120,
  /** A request of a program with files in it, held in memory: some pictures as base64, or a long recording. */
  apiBodyBytes: 64 * 1024 ** 2,
  /** Fields and files of a form: a picture's edit has some twenty. */
  formParts: 200,
  /** One text of such a request: past it, hardly any model reads on. */
  apiTextCharacters: 4_000_000,
  /** Turns of a conversation that a program brings along. */
  apiMessages: 2_000,
  apiTools: 128,
  /** Answers of one request for chat (`n`): each is a run. */
  answersPerRequest: 16,
  /** The description of one such tool: agents explain theirs at length. */
  apiToolCharacters: 100_000,
  /** Inputs of one request for embeddings, as many as OpenAI takes. */
  apiEmbeddings: 2_048,
  /** About the most tokens of a request for embeddings that is sent: OpenAI takes 300,000. */
  embeddingTokens: 250_000,
  keyRatePerMinuteMost: 10_000,
  /** Models that a key may be limited to. */
  modelsPerKey: 100,
  /** Projects of one person: the switcher and the command palette have all of them. */
  projectsPerPerson: 500,
  /** Connections of one person, of one project, and those that admins share: each list shows all of its own. */
  connectionsPerOwner: 200,
  /** Aliases of models: an admin sees all of them on one page. */
  modelAliases: 500,
  /** Keys of one person that are not revoked. */
  keysPerPerson: 100,
  /** That a key was used is written down at most so often. */
  keyUseNotedMs: 5 * 60_000,
  passwordCharactersLeast: 10,
  passwordCharactersMost: 256,
  /** Sign-ins and uses of one-time links a minute, by network address. */
  signInPerMinute: 30,
  /** Wrong passwords in a row before the next try waits: counted by account and address together, or by account and known browser. */
  freeTries: 5,
  /** The first wait; each wrong password after it doubles the next. */
  tryDelayMs: 2_000,
  tryDelayMostMs: 15 * 60_000,
  /** Wrong passwords are forgotten after so long without another. */
  tryMemoryMs: 24 * 60 * 60_000,
  /** One line of a provider's stream: a picture as base64 fits, an endless line does not. */
  streamLineBytes: 32 * 1024 ** 2,
  /** One frame of a provider's socket: a preview in full size fits. */
  socketFrameBytes: 16 * 1024 ** 2,
  /** A workflow as JSON: those of hundreds of nodes take a tenth of it. */
  workflowBytes: 1024 ** 2,
  workflowNodes: 2_000,
  workflowsPerConnection: 200,
  /** A provider's JSON answer held in memory: pictures as base64 included. */
  providerJsonBytes: 256 * 1024 ** 2,
  /** Of recordings that are heard while they come, all together: what is beyond it waits on disk until it is stored. */
  liveSoundBytes: 64 * 1024 ** 2,
  /** An output fetched from a provider. */
  outputBytes: 4 * 1024 ** 3,
  /** How long a provider keeps an output that names no end itself. */
  outputLifetimeMs: 60 * 60_000,
  /** A call from a provider: its results are addresses, and what is larger is not read. */
  webhookBodyBytes: 4 * 1024 ** 2,
  /** What came by webhook is remembered longer than any provider sends it again. */
  webhookMemoryMs: 7 * 24 * 60 * 60_000,
  /** Webhooks per project. Each event is a row per webhook. */
  webhooksPerProject: 10,
  /** What is posted to the address of a single run; a larger result is fetched by its id. */
  runWebhookBytes: 4 * 1024 ** 2,
  runWebhookUrlCharacters: 2_000,
  /** Of one person, until they are delivered or given up: ten full batches. */
  runWebhooksWaiting: 10_000,
  /** What an address answers to a delivery is kept so far. */
  webhookAnswerBytes: 1_024,
  /** An address that has taken nothing for so long is paused. */
  webhookDeadDays: 5,
  /** What was delivered is shown, and can be sent again, for so long. */
  webhookLogMs: 30 * 24 * 60 * 60_000,
  /** The most that a person may say an unconfirmed run has cost: a slip of the decimal point is no spending. */
  saidCostMicros: 10_000_000_000,
  /** Attempts that were provably not accepted, before a run fails. */
  attemptsPerRun: 4,
  /** Assets of a zip, and those that a gallery loads to select them. */
  selectionAssets: 1_000,
  /** A tag's name, in the characters that a person counts. */
  tagCharacters: 60,
  /** The same in bytes of UTF-8: what an index of PostgreSQL takes, with room. */
  tagBytes: 2_000,
  /** Tags of one asset, those of one act, and those that a filter names. */
  tagsPerAsset: 50,
  tagsPerAct: 20,
  tagsPerFilter: 20,
  /** A person looks for one of them by its first letters. */
  tagsPerProject: 5_000,
  /** Assets of one collection, whose order is read whole. */
  assetsPerCollection: 10_000,
  collectionsPerProject: 1_000,
  /** A place in a collection, as text. */
  orderKeyCharacters: 200,
  /** A saved filter as JSON. */
  savedFilterCharacters: 10_000,
  /** Assets of one act, as keeping or trashing: at 100 a slice it takes a second or two. */
  actAssets: 10_000,
  /** A quarter, and the day that a year's longest has more. */
  billDays: 92,
  /** Rows of each list of a comparison: more are counted and not read by anybody. */
  billRows: 500,
  /** Requests of one bill, held in memory while it is compared. */
  billRequests: 200_000,
  /** An invoice as CSV: a busy month's lines. */
  invoiceBytes: 20 * 1024 ** 2,
  invoiceLines: 200_000,
  /** An exported project that is brought here: some twenty of the largest films. */
  archiveBytes: 64 * 1024 ** 3,
  /** What may come out of it: its files are stored as they are, only words are packed. */
  archiveUnpackedBytes: 68 * 1024 ** 3,
  archiveFiles: 200_000,
  /** People, and projects, to whom one model is open: more of them are a project. */
  modelUsers: 100,
  /** Models behind one alias: each is one more refusal that somebody waits through. */
  modelsPerAlias: 8,
  /** Of all its tables together; their ids are in memory while it is read. */
  archiveRows: 1_000_000,
  /** One row: the longest conversation's message, escaped, with room. */
  archiveLineBytes: 16 * 1024 ** 2,
  /** How long a finished import is shown. */
  importMemoryMs: 7 * 24 * 60 * 60_000,
  /** One drawing with its settings, as a canvas sends it: 1,024 pixels square as PNG fit, a photograph as it came does not. */
  drawingBytes: 2 * 1024 ** 2,
  /** Inputs a second of one canvas: a stylus reports 240 times a second, and no model answers 30. */
  drawInputsPerSecond: 40,
  /** A frame of a realtime model. */
  frameBytes: 16 * 1024 ** 2,
  /** What a session holds money for, and how many answers where these are what is billed. */
  sessionHoldMs: 60_000,
  sessionHoldAnswers: 60,
  /** A session nobody draws in ends after so long: it is billed by the second, and the next stroke begins another. */
  sessionIdleMs: 45_000,
  /** So that what is open is booked within the hour. */
  sessionMostMs: 60 * 60_000,
  /** What was used is written down so often: the most that a killed server leaves uncounted. */
  sessionCheckpointMs: 5_000,
  /** Open sessions of one person: a screen has one. */
  sessionsPerPerson: 3,
  /** Frames of a session that can still be pinned: those just seen. */
  pinnableFrames: 12,
  /** Frames of an ended session can be pinned for so long. */
  pinnableMs: 10 * 60_000,
} as const;

/** A close code of our own: the reader did not read, and its backlog passed `socketBufferBytes`. It may come back with its cursors. */
export const socketClosedSlowReader = 4008;
