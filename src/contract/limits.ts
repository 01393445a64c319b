/**
 * Every constant and limit, each with its unit and reason. The schema, the check and the hint on
 * screen read the same number. If operators can change a value, settings.ts names the environment
 * variable.
 */
export const limits = {
  /** The largest file a person may upload: a long 4K video. */
  uploadBytes: 2 * 1024 ** 3,
  /** A part of a multipart upload; fal's client sends parts of a tenth of this. */
  uploadPartBytes: 100 * 1024 ** 2,
  /** The largest picture decoded: beyond it a 32-bit RGBA buffer takes more than 400 MB. */
  imagePixels: 100_000_000,
  /**
   * The longest side of a decoded picture, which is JPEG's own limit. A picture 1 pixel wide and 30
   * million high took half a minute.
   */
  imageSidePixels: 65_535,
  /** A person's message: about a chapter of a short novel. Longer text belongs in a file. */
  messageCharacters: 200_000,
  /** A media prompt, far above the longest that any model in the catalog reads. */
  promptCharacters: 200_000,
  systemPromptCharacters: 100_000,
  nameCharacters: 200,
  /** Text typed to search a list: as long as the longest title, so that a title can be pasted. */
  searchCharacters: 200,
  /**
   * The highest budget in micro-dollars: a billion dollars, well within the range of exact
   * integers.
   */
  budgetMicrosMost: 1e15,
  attachmentsPerMessage: 20,
  /** Models that answer one message side by side; more columns can't be read next to each other. */
  answersPerMessage: 6,
  /**
   * A dictation stops at this length: 14 MB as Opus speech, below the limit of services (OpenAI: 25
   * MB).
   */
  dictationMs: 60 * 60_000,
  /** The most that one step of a fork copies, in about 0.3 s of CPU time. */
  forkMessages: 2_000,
  forkBytes: 8 * 1024 ** 2,
  /** The comment of a rating: a few sentences. */
  feedbackCharacters: 1_000,
  toolsPerConversation: 32,
  /** Consecutive rounds of tool calls before a model has to answer the person. */
  toolRounds: 16,
  /** Calls per answer. Further calls aren't started, and the model is told so. */
  toolCallsPerAnswer: 16,
  /** The part of a tool's result that a model reads. */
  toolOutputCharacters: 50_000,
  /**
   * Tools offered from one server: more than a person reviews, or than a model chooses well from.
   */
  toolsPerServer: 128,
  /** Tools read from one page of a server's list. */
  toolsRead: 500,
  /** Models of one connection. */
  modelsPerConnection: 10_000,
  /** A provider's sample picture of a model; larger ones aren't shown. */
  modelSampleBytes: 4 * 1024 ** 2,
  /** All sample pictures in a server's memory. */
  modelSamplesBytes: 48 * 1024 ** 2,
  /** An external picture in an answer; larger ones aren't shown. */
  remotePictureBytes: 10 * 1024 ** 2,
  /** A tool's form as JSON, which models read with each question. */
  toolSchemaCharacters: 20_000,
  /** A tool server's response: several pictures as base64. */
  toolAnswerBytes: 32 * 1024 ** 2,
  /** Pictures and recordings saved from one tool result. */
  filesPerToolResult: 8,
  /**
   * Files saved from one answer that the model's code made at its provider. Each is downloaded
   * separately.
   */
  filesPerAnswer: 100,
  /** How many omitted files a run's warning names. */
  leftFilesNamed: 10,
  /** How long a tool may be silent, and how long it may take in total if it reports progress. */
  toolSilenceMs: 5 * 60_000,
  toolMostMs: 30 * 60_000,
  /** How long a tool's question waits for the person in the chat. */
  toolQuestionMs: 10 * 60_000,
  /** Fields of a tool's question, and characters of the question and of its answer. */
  toolQuestionFields: 20,
  toolQuestionCharacters: 4_000,
  /** How long a session with a tool server, or its program, lasts without a call. */
  toolSessionIdleMs: 5 * 60_000,
  variantsPerForm: 16,
  /** Results side by side: a screen shows at most eight pictures large enough. */
  comparisonEntries: 8,
  runsPerBatch: 1_000,
  /** Places with a choice in a prompt; every run stores a value for each. */
  promptPlaces: 1_000,
  /** All expanded prompts of a batch, which are in memory together. */
  batchPromptCharacters: 8_000_000,
  wordListsPerProject: 500,
  wordListItems: 10_000,
  /** All items of a list: more than a book. */
  wordListCharacters: 500_000,
  /**
   * Concurrent runs of text (chat, embedding, rerank, tools) on a hosted connection: services limit
   * tokens per minute rather than concurrent requests.
   */
  textSlots: 64,
  /** All other concurrent runs on a hosted connection. */
  mediaSlots: 8,
  /**
   * The most concurrent runs of a local server, which reports its own number: its models share one
   * machine.
   */
  maxLocalSlots: 4,
  /** The most concurrent runs that a person can set for a connection. */
  maxSlots: 1_000,
  /** The interval of a worker's heartbeat. */
  workerBeatMs: 5_000,
  /**
   * How long a worker's heartbeat may stay unchanged, on the observer's monotonic clock, before the
   * worker counts as dead.
   */
  workerDeadMs: 30_000,
  /** How long a synchronous API call waits for a free slot before it gets 429 with Retry-After. */
  placeWaitMs: 30_000,
  /**
   * The time of a shutdown after draining, to save results and answer requests. With a drain of 25
   * s it stays within compose's 30 s.
   */
  stopMs: 4_000,
  /**
   * The interval at which progress, previews and sources of an answer are written and then
   * published.
   */
  eventPauseMs: 100,
  /**
   * The interval at which an answer's text is written; it is published immediately. If a write is
   * late by this time again, publishing pauses until it is done.
   */
  wordsCheckpointMs: 1_000,
  /** How long the text deltas of an ended run stay replayable one by one. */
  eventRetentionMs: 60 * 60_000,
  /** The assumed longest answer of a model without a known limit. */
  chatOutputTokens: 8_192,
  /**
   * The least and the most tokens of an answer without a limit of its own under a blocking budget.
   */
  chatOutputTokensLeast: 1_024,
  chatOutputTokensMost: 32_768,
  /** The share of a small context window that is kept free for an answer. */
  chatOutputShare: 1 / 4,
  /** The JSON Schema that answers of a conversation have to match. */
  shapeCharacters: 50_000,
  /** A summary of a conversation: about three pages. */
  summaryTokens: 2_048,
  /** The share of the context window above which its meter warns. */
  contextWarnShare: 0.8,
  /** Nesting of conversation folders; deeper ones don't fit into the list. */
  folderDepth: 3,
  /** Folders of one person in a project. */
  foldersPerPerson: 200,
  tagsPerConversation: 20,
  /** A model's title: six words, with room for brief reasoning. */
  titleTokens: 256,
  /**
   * How long after its last message a temporary chat is deleted: enough to return the next morning.
   */
  temporaryChatMs: 24 * 60 * 60_000,
  /** How long items stay in the trash. */
  trashMs: 30 * 24 * 60 * 60_000,
  pageSize: 50,
  pageSizeMost: 200,
  /** Messages that a search in one conversation finds. */
  foundMessages: 1_000,
  /** A JSON body: a message of the maximum length, escaped, with a margin. */
  jsonBodyBytes: 4 * 1024 ** 2,
  /** The most JSON that the main thread parses. A worker thread parses more. */
  jsonHereBytes: 1024 ** 2,
  /** The JSON body of a public route. */
  publicJsonBytes: 64 * 1024,
  /** The buffer of a socket whose client has stopped reading, before it is closed. */
  socketBufferBytes: 1024 ** 2,
  sessionMs: 30 * 24 * 60 * 60_000,
  /** Backups kept in one folder: three months of nightly ones. */
  backupsKept: 100,
  /** Projects that one invitation link can grant access to. */
  projectsPerInvite: 50,
  inviteMs: 7 * 24 * 60 * 60_000,
  /**
   * How long a link or invitation is remembered after it ends, used or not. The audit log keeps
   * forever who invited whom.
   */
  inviteMemoryMs: 30 * 24 * 60 * 60_000,
  /**
   * Requests per minute of one network address on public routes: a page of pictures by signed
   * addresses, a batch's webhooks.
   */
  openPerMinute: 1_200,
  /**
   * Requests per minute of one signed-in person: scrolling fast through a library requests some
   * thousand thumbnails.
   */
  personPerMinute: 6_000,
  /** Sockets of one person, one for each tab. */
  socketsPerPerson: 64,
  /**
   * Requests per minute with one API key, unless it has a rate of its own. Each server counts
   * separately.
   */
  keyRatePerMinute: 120,
  /**
   * A client's request with files, held in memory: some pictures as base64, or a long recording.
   */
  apiBodyBytes: 64 * 1024 ** 2,
  /**
   * Earlier answers that a client's request refers to. They are read on the thread that serves
   * everyone, and hold far more text than a model reads.
   */
  earlierAnswersBytes: 16 * 1024 ** 2,
  /** Fields and files of a form: editing a picture takes about twenty. */
  formParts: 200,
  /** One text of a client's request: hardly any model reads more. */
  apiTextCharacters: 4_000_000,
  /** Turns of a conversation in a client's request: an agent's long day has thousands. */
  apiMessages: 10_000,
  /** Tools in a client's request. An agent with several tool servers sends hundreds. */
  apiTools: 1_000,
  /** Stop sequences in a client's request. Most services take four. */
  apiStops: 64,
  /** Answers to one chat request (`n`), each of which is a run. */
  answersPerRequest: 16,
  /** The description of one tool in a client's request; agents describe theirs at length. */
  apiToolCharacters: 100_000,
  /** Inputs of one embedding request, the same as OpenAI's limit. */
  apiEmbeddings: 2_048,
  /** About the most tokens of one embedding request to a provider; OpenAI accepts 300,000. */
  embeddingTokens: 250_000,
  keyRatePerMinuteMost: 10_000,
  /** Models that a key may be limited to. */
  modelsPerKey: 100,
  /** Projects of one person; the switcher and the command palette list all of them. */
  projectsPerPerson: 500,
  /** Connections of one person, of one project, and shared ones; each list shows all of its own. */
  connectionsPerOwner: 200,
  /** Model aliases; an admin sees all of them on one page. */
  modelAliases: 500,
  /** Unrevoked keys of one person. */
  keysPerPerson: 100,
  /** The shortest time between two updates of a key's last use. */
  keyUseNotedMs: 5 * 60_000,
  passwordCharactersLeast: 10,
  passwordCharactersMost: 256,
  /** Sign-ins and uses of one-time links per minute, by network address. */
  signInPerMinute: 30,
  /**
   * Consecutive wrong passwords before the next attempt has to wait, counted by account and address
   * together, or by account and known browser.
   */
  freeTries: 5,
  /** The first wait, which doubles with each further wrong password. */
  tryDelayMs: 2_000,
  tryDelayMostMs: 15 * 60_000,
  /** How long wrong passwords are remembered after the last one. */
  tryMemoryMs: 24 * 60 * 60_000,
  /** One line of a provider's stream: room for a picture as base64, but not for an endless line. */
  streamLineBytes: 32 * 1024 ** 2,
  /** One frame of a provider's socket: room for a full-size preview. */
  socketFrameBytes: 16 * 1024 ** 2,
  /** A workflow as JSON; hundreds of nodes take a tenth of it. */
  workflowBytes: 1024 ** 2,
  workflowNodes: 2_000,
  workflowsPerConnection: 200,
  /** A provider's JSON response in memory, including pictures as base64. */
  providerJsonBytes: 256 * 1024 ** 2,
  /** All live recordings in memory; the rest waits on disk until it is stored. */
  liveSoundBytes: 64 * 1024 ** 2,
  /** An output downloaded from a provider. */
  outputBytes: 4 * 1024 ** 3,
  /** How long a provider is assumed to keep an output without a stated expiry. */
  outputLifetimeMs: 60 * 60_000,
  /** A provider's webhook, whose results are addresses; larger ones aren't read. */
  webhookBodyBytes: 4 * 1024 ** 2,
  /** How long received webhooks are remembered: longer than any provider repeats them. */
  webhookMemoryMs: 7 * 24 * 60 * 60_000,
  /** Webhooks per project. Each event inserts a row per webhook. */
  webhooksPerProject: 10,
  /** The body posted to the webhook of a single run; a larger result has to be fetched by id. */
  runWebhookBytes: 4 * 1024 ** 2,
  runWebhookUrlCharacters: 2_000,
  /** Webhooks of one person's runs that wait for delivery: ten full batches. */
  runWebhooksWaiting: 10_000,
  /** The part of a webhook's response that is saved. */
  webhookAnswerBytes: 1_024,
  /** How long a webhook may fail before it is paused. */
  webhookDeadDays: 5,
  /** How long deliveries are listed and can be repeated. */
  webhookLogMs: 30 * 24 * 60 * 60_000,
  /**
   * The highest cost that a person can enter for an unconfirmed run, so that a misplaced decimal
   * point isn't booked as spending.
   */
  saidCostMicros: 10_000_000_000,
  /** Attempts that were provably not accepted before a run fails. */
  attemptsPerRun: 4,
  /** Assets in a ZIP download, and assets that a gallery loads for a selection. */
  selectionAssets: 1_000,
  /** A tag's name, in characters as people count them. */
  tagCharacters: 60,
  /** A tag's name in bytes of UTF-8: what PostgreSQL's index accepts, with a margin. */
  tagBytes: 2_000,
  /** Tags of one asset, of one action, and of a filter. */
  tagsPerAsset: 50,
  tagsPerAct: 20,
  tagsPerFilter: 20,
  /** Enough to find a tag by its first letters. */
  tagsPerProject: 5_000,
  /** Assets of one collection, whose order is read completely. */
  assetsPerCollection: 10_000,
  collectionsPerProject: 1_000,
  /** A position in a collection, as text. */
  orderKeyCharacters: 200,
  /** A saved filter as JSON. */
  savedFilterCharacters: 10_000,
  /**
   * Assets of one action, such as keeping or trashing: at 100 per slice it takes a second or two.
   */
  actAssets: 10_000,
  /** The longest quarter of a year, in days. */
  billDays: 92,
  /** Rows in each list of a comparison; further ones are only counted. */
  billRows: 500,
  /** Requests of one bill, held in memory during a comparison. */
  billRequests: 200_000,
  /** A CSV invoice: the lines of a busy month. */
  invoiceBytes: 20 * 1024 ** 2,
  invoiceLines: 200_000,
  /** An imported project archive: room for some twenty of the largest videos. */
  archiveBytes: 64 * 1024 ** 3,
  /** The unpacked archive: files are stored uncompressed, only text is compressed. */
  archiveUnpackedBytes: 68 * 1024 ** 3,
  archiveFiles: 200_000,
  /** People, and projects, in the access rule of one model; larger groups should be a project. */
  modelUsers: 100,
  /** Models of one alias, each of which can add a failed attempt to the wait. */
  modelsPerAlias: 8,
  /** Rows of all tables of an archive, whose ids are in memory while it is read. */
  archiveRows: 1_000_000,
  /** One row of an archive: the longest message, escaped, with a margin. */
  archiveLineBytes: 16 * 1024 ** 2,
  /** How long a finished import is listed. */
  importMemoryMs: 7 * 24 * 60 * 60_000,
  /**
   * One drawing of a canvas with its settings: room for 1,024 pixels square as PNG, but not for an
   * unscaled photo.
   */
  drawingBytes: 2 * 1024 ** 2,
  /**
   * Inputs per second of one canvas: a stylus reports 240 times a second, and no model answers 30.
   */
  drawInputsPerSecond: 40,
  /** A frame of a realtime model. */
  frameBytes: 16 * 1024 ** 2,
  /** The time that a session reserves money for, or the number of answers if those are billed. */
  sessionHoldMs: 60_000,
  sessionHoldAnswers: 60,
  /**
   * How long a session without drawing stays open: it is billed by the second, and the next stroke
   * starts another.
   */
  sessionIdleMs: 45_000,
  /** The longest session, so that its cost is booked within the hour. */
  sessionMostMs: 60 * 60_000,
  /** How often a session's usage is saved: the most that a killed server leaves uncounted. */
  sessionCheckpointMs: 5_000,
  /** Open sessions of one person; a screen has one. */
  sessionsPerPerson: 3,
  /** Frames of a session that can be pinned: the latest ones. */
  pinnableFrames: 12,
  /** How long after its end a session's frames can be pinned. */
  pinnableMs: 10 * 60_000,
} as const;

/**
 * Our own close code: the client stopped reading, and its backlog exceeded `socketBufferBytes`. It
 * may reconnect with its cursors.
 */
export const socketClosedSlowReader = 4008;
