import type { Asset, Connection, Conversation, Message, Run } from "#contract/entities.ts";
import { hasScope, type KeyScope } from "#contract/key-scopes.ts";
import type { Permission, Route } from "#contract/route.ts";
import { type RouteName, routes } from "#contract/routes/index.ts";
import { scopesOfRoutes } from "#contract/routes/scopes.ts";
import type { RouteOutput } from "#contract/schemas/index.ts";
import { builtin } from "#providers/builtin/adapter.ts";
import { insertConnection } from "#store/models/connections.ts";
import { updateUser } from "#store/people/people.ts";
import { insertMember } from "#store/people/projects.ts";
import type { TestDatabase } from "../databases/databases.ts";
import { buildConnection } from "../databases/store-rows.ts";
import { createInstance, type Instance, until } from "./instance.ts";

/**
 * A call of every route that succeeds for the owner of everything it names. A route without one
 * fails the build.
 */
type Things = {
  projectId: string;
  conversationId: string;
  trashedConversationId: string;
  messageId: string;
  runId: string;
  /** Another run of the same model. */
  secondRunId: string;
  comparisonId: string;
  assetId: string;
  folderId: string;
  tagId: string;
  otherTagId: string;
  collectionId: string;
  trashedCollectionId: string;
  connectionId: string;
  ownConnectionId: string;
  projectConnectionId: string;
  webhookId: string;
  userId: string;
  otherUserId: string;
  /** In the form of OpenAI's API. */
  chatModel: string;
  imageModel: string;
};
const budget = { period: "month", timeZone: "UTC", limitMicros: 1_000_000, onLimit: "block" };
export const range = { from: "2026-11-01", to: "2026-11-30" };
type Given = {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  headers?: Record<string, string>;
};
const falTarget = (url: string) => ({ "x-fal-target-url": url });
const forgedTicket = (t: Things) => ({
  by: t.userId,
  projectId: t.projectId,
  name: "a.png",
  until: "9999999999999",
  signature: "none",
});
export const calls: Record<RouteName, (things: Things) => Given> = {
  getInstance: () => ({}),
  lookAround: () => ({ body: { code: "x" } }),
  setUp: () => ({
    body: {
      code: "x",
      name: "n",
      email: "e@example.org",
      password: "long enough 1",
      projectName: "p",
    },
  }),
  signIn: () => ({ body: { email: "nobody@example.org", password: "wrong password" } }),
  getSession: () => ({}),
  signOut: () => ({}),
  getMe: () => ({}),
  updateMe: () => ({ body: { name: "Ada" } }),
  updatePreferences: () => ({ body: {} }),
  changePassword: () => ({ body: { current: "not this", password: "long enough 1" } }),
  answerInvite: (t) => ({ params: { inviteId: t.runId }, body: { accept: false } }),
  listSessions: () => ({}),
  revokeSession: () => ({ params: { sessionId: "none" } }),
  getInvite: () => ({ params: { token: "none" } }),
  acceptInvite: () => ({
    params: { token: "none" },
    body: { name: "n", password: "long enough 1" },
  }),
  listKeys: () => ({}),
  createKey: (t) => ({ body: { name: "k", projectId: t.projectId, scopes: ["chat"] } }),
  updateKey: (t) => ({ params: { keyId: t.runId }, body: { name: "k" } }),
  rotateKey: (t) => ({ params: { keyId: t.runId } }),
  revokeKey: (t) => ({ params: { keyId: t.runId } }),
  setKeyBudget: (t) => ({ params: { keyId: t.runId }, body: budget }),
  listAllKeys: () => ({}),
  revokeAnyKey: (t) => ({ params: { keyId: t.runId } }),
  listPeople: () => ({}),
  createInvite: () => ({ body: { email: `new${Math.random()}@example.org` } }),
  removeInvite: (t) => ({ params: { inviteId: t.runId } }),
  updatePerson: (t) => ({ params: { userId: t.otherUserId }, body: {} }),
  createPasswordLink: (t) => ({ params: { userId: t.otherUserId } }),
  getPersonDeletion: (t) => ({ params: { userId: t.otherUserId } }),
  deletePerson: (t) => ({
    params: { userId: t.otherUserId },
    body: { email: "else@example.org", sharedWork: "stays" },
  }),
  getMyDeletion: () => ({}),
  deleteMe: () => ({ body: { password: "not this", sharedWork: "stays" } }),
  handOver: (t) => ({ params: { userId: t.otherUserId }, body: { toUserId: t.userId } }),
  listProjects: () => ({}),
  createProject: () => ({ body: { name: "another" } }),
  getProject: (t) => ({ params: { projectId: t.projectId } }),
  updateProject: (t) => ({ params: { projectId: t.projectId }, body: {} }),
  exportProject: (t) => ({ params: { projectId: t.projectId } }),
  getProjectDeletion: (t) => ({ params: { projectId: t.projectId } }),
  deleteProject: (t) => ({ params: { projectId: t.projectId }, body: { name: "another name" } }),
  listAdminProjects: () => ({}),
  getAdminProjectDeletion: (t) => ({ params: { projectId: t.projectId } }),
  deleteAdminProject: (t) => ({
    params: { projectId: t.projectId },
    body: { name: "another name" },
  }),
  listDeletedProjects: () => ({}),
  restoreProject: (t) => ({ params: { projectId: t.runId } }),
  importProject: () => ({}),
  listImports: () => ({}),
  removeImport: (t) => ({ params: { importId: t.runId } }),
  listMembers: (t) => ({ params: { projectId: t.projectId } }),
  addMember: (t) => ({
    params: { projectId: t.projectId },
    body: { email: "unknown@example.org", role: "viewer" },
  }),
  removeMemberInvite: (t) => ({ params: { projectId: t.projectId, inviteId: t.runId } }),
  updateMember: (t) => ({
    params: { projectId: t.projectId, userId: t.runId },
    body: { role: "viewer" },
  }),
  leaveProject: (t) => ({ params: { projectId: t.projectId } }),
  removeMember: (t) => ({ params: { projectId: t.projectId, userId: t.runId } }),
  listKinds: () => ({}),
  lookForServers: () => ({}),
  listConnections: () => ({}),
  createConnection: () => ({ body: { kind: "none", name: "n", scope: "user" } }),
  listProjectConnections: (t) => ({ params: { projectId: t.projectId } }),
  createProjectConnection: (t) => ({
    params: { projectId: t.projectId },
    body: { kind: "none", name: "n" },
  }),
  getConnection: (t) => ({ params: { connectionId: t.ownConnectionId } }),
  updateConnection: (t) => ({ params: { connectionId: t.ownConnectionId }, body: {} }),
  removeConnection: (t) => ({ params: { connectionId: t.ownConnectionId } }),
  checkConnection: (t) => ({ params: { connectionId: t.ownConnectionId } }),
  beginSignIn: (t) => ({ params: { connectionId: t.ownConnectionId } }),
  finishSignIn: () => ({ query: { state: "none", code: "c" } }),
  listLocalModels: (t) => ({ params: { connectionId: t.ownConnectionId } }),
  loadLocalModel: (t) => ({ params: { connectionId: t.ownConnectionId }, body: { model: "m" } }),
  unloadLocalModel: (t) => ({ params: { connectionId: t.ownConnectionId }, body: { model: "m" } }),
  pullLocalModel: (t) => ({ params: { connectionId: t.ownConnectionId }, body: { model: "m" } }),
  removeLocalModel: (t) => ({ params: { connectionId: t.ownConnectionId }, query: { model: "m" } }),
  listWorkflows: (t) => ({ params: { connectionId: t.ownConnectionId } }),
  addWorkflow: (t) => ({
    params: { connectionId: t.ownConnectionId },
    body: { name: "n", workflow: "{}" },
  }),
  replaceWorkflow: (t) => ({
    params: { connectionId: t.ownConnectionId, workflowId: "w" },
    body: { name: "n", workflow: "{}" },
  }),
  removeWorkflow: (t) => ({ params: { connectionId: t.ownConnectionId, workflowId: "w" } }),
  listModels: (t) => ({ query: { projectId: t.projectId } }),
  listUsedModels: (t) => ({ query: { projectId: t.projectId } }),
  countModelTasks: (t) => ({ query: { projectId: t.projectId } }),
  getModel: (t) => ({
    params: { connectionId: t.connectionId },
    query: { projectId: t.projectId, model: "guide" },
  }),
  getModelSample: (t) => ({
    params: { connectionId: t.connectionId },
    query: { projectId: t.projectId, model: "guide" },
  }),
  setModelFacts: (t) => ({
    params: { connectionId: t.ownConnectionId },
    body: { modelId: "m", facts: { contextTokens: 8192 } },
  }),
  starModel: (t) => ({ params: { connectionId: t.ownConnectionId }, body: { modelId: "m" } }),
  unstarModel: (t) => ({ params: { connectionId: t.ownConnectionId }, query: { model: "m" } }),
  getAccess: () => ({}),
  getModelUsers: (t) => ({ query: { connectionId: t.connectionId } }),
  getStorage: () => ({}),
  updateStorageLimits: () => ({ body: {} }),
  getStorageUse: () => ({}),
  getHealth: () => ({}),
  getBackups: () => ({}),
  setBackups: () => ({ body: { folder: null, hour: 3, timeZone: "UTC", keep: 7 } }),
  makeBackup: () => ({}),
  listAudit: () => ({}),
  downloadAudit: () => ({}),
  updateAccess: () => ({ body: {} }),
  listModelAccess: () => ({}),
  setModelAccess: (t) => ({
    body: { of: { models: [{ connectionId: t.connectionId, modelId: "guide" }] }, users: null },
  }),
  listAliases: () => ({}),
  createAlias: (t) => ({
    body: {
      name: `alias-${Math.random()}`,
      task: "chat",
      models: [{ connectionId: t.connectionId, modelId: "guide" }],
    },
  }),
  updateAlias: (t) => ({
    params: { alias: "none" },
    body: { task: "chat", models: [{ connectionId: t.connectionId, modelId: "guide" }] },
  }),
  removeAlias: () => ({ params: { alias: "none" } }),
  listConversations: (t) => ({ query: { projectId: t.projectId } }),
  listComparisons: (t) => ({ query: { projectId: t.projectId } }),
  createComparison: (t) => ({
    body: { projectId: t.projectId, entries: [{ runId: t.runId }, { runId: t.secondRunId }] },
  }),
  getComparison: (t) => ({ params: { comparisonId: t.comparisonId } }),
  updateComparison: (t) => ({
    params: { comparisonId: t.comparisonId },
    body: { title: "Two seas" },
  }),
  putVote: (t) => ({ params: { comparisonId: t.comparisonId }, body: { best: [0] } }),
  revealComparison: (t) => ({ params: { comparisonId: t.comparisonId } }),
  getLeaderboard: () => ({}),
  downloadLeaderboard: () => ({}),
  search: (t) => ({ query: { projectId: t.projectId, q: "run" } }),
  searchConversations: (t) => ({ query: { projectId: t.projectId, q: "run" } }),
  listWordLists: (t) => ({ params: { projectId: t.projectId } }),
  getWordList: (t) => ({ params: { projectId: t.projectId, list: "colors" } }),
  putWordList: (t) => ({
    params: { projectId: t.projectId, list: "colors" },
    body: { items: ["red", "green"] },
  }),
  removeWordList: (t) => ({ params: { projectId: t.projectId, list: "colors" } }),
  createConversation: (t) => ({ body: { projectId: t.projectId } }),
  getConversation: (t) => ({ params: { conversationId: t.conversationId } }),
  listMessages: (t) => ({ params: { conversationId: t.conversationId } }),
  exportConversation: (t) => ({ params: { conversationId: t.conversationId } }),
  getConversationCost: (t) => ({ params: { conversationId: t.conversationId } }),
  findMessages: (t) => ({ params: { conversationId: t.conversationId }, query: { q: "run" } }),
  updateConversation: (t) => ({
    params: { conversationId: t.conversationId },
    body: { title: "t" },
  }),
  removeConversation: (t) => ({ params: { conversationId: t.conversationId } }),
  getRemotePicture: (t) => ({
    params: { messageId: t.messageId },
    query: { url: "https://pictures.example.org/a.png" },
  }),
  restoreConversation: (t) => ({ params: { conversationId: t.conversationId } }),
  deleteConversation: (t) => ({ params: { conversationId: t.trashedConversationId } }),
  sendMessage: (t) => ({
    params: { conversationId: t.conversationId },
    body: { parentId: null, text: "hello" },
  }),
  chooseContext: (t) => ({
    params: { conversationId: t.conversationId },
    body: { upTo: t.messageId, choice: { sends: "later" } },
  }),
  estimateAnswer: (t) => ({
    params: { projectId: t.projectId },
    body: {
      model: { connectionId: t.connectionId, modelId: "guide" },
      conversationId: t.conversationId,
      characters: 5,
      bytes: 5,
    },
  }),
  answerAgain: (t) => ({
    params: { messageId: t.messageId },
    body: { model: { connectionId: t.connectionId, modelId: "guide" } },
  }),
  forkConversation: (t) => ({ params: { messageId: t.messageId }, body: {} }),
  removeMessage: (t) => ({ params: { messageId: t.messageId } }),
  restoreMessage: (t) => ({
    params: { conversationId: t.conversationId, messageId: t.messageId },
  }),
  listFolders: (t) => ({ query: { projectId: t.projectId } }),
  createFolder: (t) => ({ body: { projectId: t.projectId, name: "Drafts" } }),
  updateFolder: (t) => ({ params: { folderId: t.folderId }, body: { name: "Covers" } }),
  removeFolder: (t) => ({ params: { folderId: t.folderId } }),
  getFiling: (t) => ({ params: { conversationId: t.conversationId } }),
  fileConversation: (t) => ({
    params: { conversationId: t.conversationId },
    body: { folderId: null, tags: ["sea"] },
  }),
  renameConversationTag: (t) => ({ body: { projectId: t.projectId, name: "sea", to: "tide" } }),
  pickAnswer: (t) => ({ params: { messageId: t.messageId }, body: {} }),
  putFeedback: (t) => ({ params: { messageId: t.messageId }, body: { value: "up" } }),
  removeFeedback: (t) => ({ params: { messageId: t.messageId } }),
  createRuns: (t) => ({
    body: {
      projectId: t.projectId,
      models: [{ connectionId: t.connectionId, modelId: "pattern" }],
      task: "image",
      input: { prompt: "sea" },
    },
  }),
  listRuns: (t) => ({ query: { projectId: t.projectId } }),
  listBatches: (t) => ({ query: { projectId: t.projectId } }),
  getRun: (t) => ({ params: { runId: t.runId } }),
  getRunEvents: (t) => ({ params: { runId: t.runId } }),
  listRunEvents: (t) => ({ params: { runId: t.runId } }),
  cancelRun: (t) => ({ params: { runId: t.runId } }),
  approveRun: (t) => ({ params: { runId: t.runId } }),
  answerQuestion: (t) => ({
    params: { runId: t.runId },
    body: { questionId: "00000000-0000-7000-8000-000000000000", action: "decline" },
  }),
  approveRuns: (t) => ({ body: { projectId: t.projectId, waitingFor: "restore" } }),
  tryAgain: (t) => ({ params: { runId: t.runId }, body: {} }),
  resolveRun: (t) => ({ params: { runId: t.runId }, body: { outcome: "not-made" } }),
  lookAgain: (t) => ({ params: { runId: t.runId } }),
  attachJob: (t) => ({
    params: { runId: t.runId },
    body: { requestId: "00000000-0000-0000-0000-000000000000" },
  }),
  fetchOutputs: (t) => ({ params: { runId: t.runId } }),
  receiveWebhook: (t) => ({ params: { connectionId: t.connectionId, runId: t.runId } }),
  getOpenApi: () => ({}),
  createChatCompletion: (t) => ({
    body: { model: t.chatModel, messages: [{ role: "user", content: "What is a run?" }] },
  }),
  createMessage: (t) => ({
    body: {
      model: t.chatModel,
      max_tokens: 100,
      messages: [{ role: "user", content: "What is a run?" }],
    },
  }),
  countMessageTokens: (t) => ({
    body: { model: t.chatModel, messages: [{ role: "user", content: "What is a run?" }] },
  }),
  createResponse: (t) => ({ body: { model: t.chatModel, input: "What is a run?" } }),
  getResponse: (t) => ({ params: { responseId: `resp_${t.runId}` } }),
  listInputItems: (t) => ({ params: { responseId: `resp_${t.runId}` } }),
  cancelResponse: (t) => ({ params: { responseId: `resp_${t.runId}` } }),
  deleteResponse: (t) => ({ params: { responseId: `resp_${t.runId}` } }),
  createImages: (t) => ({ body: { model: t.imageModel, prompt: "sea", size: "64x64" } }),
  editImages: () => ({}),
  createEmbeddings: (t) => ({ body: { model: t.imageModel, input: "sea" } }),
  createSpeech: (t) => ({ body: { model: t.imageModel, input: "sea", voice: "slt" } }),
  createTranscription: () => ({}),
  listOpenAiModels: () => ({}),
  getOpenAiModel: (t) => ({ params: { model: t.imageModel } }),
  postToFal: (t) => ({
    query: { projectId: t.projectId },
    body: {},
    headers: falTarget("https://queue.fal.run/sim/flux/dev"),
  }),
  getFromFal: (t) => ({
    query: { projectId: t.projectId },
    headers: falTarget(`https://queue.fal.run/sim/flux/requests/${t.runId}/status`),
  }),
  putToFal: (t) => ({
    query: { projectId: t.projectId },
    headers: falTarget(`https://queue.fal.run/sim/flux/requests/${t.runId}/cancel`),
  }),
  getFalHookKeys: () => ({}),
  putLinkedUpload: (t) => ({ params: { assetId: t.runId }, query: forgedTicket(t) }),
  putLinkedPart: (t) => ({ params: { assetId: t.runId, part: "1" }, query: forgedTicket(t) }),
  completeLinkedUpload: (t) => ({
    params: { assetId: t.runId },
    query: forgedTicket(t),
    body: { parts: [{ partNumber: 1, etag: "x" }] },
  }),
  getLinkedFile: (t) => ({
    params: { assetId: t.assetId, name: "a.png" },
    query: { by: t.userId, until: "1", signature: "none" },
  }),
  askPrompt: (t) => ({
    params: { projectId: t.projectId },
    body: { model: { connectionId: t.connectionId, modelId: "guide" }, prompt: "a boat" },
  }),
  createDictation: (t) => ({
    params: { projectId: t.projectId },
    body: { model: { connectionId: t.connectionId, modelId: "voice" }, input: {} },
  }),
  listReadings: (t) => ({ params: { messageId: t.messageId } }),
  createReading: (t) => ({
    params: { messageId: t.messageId },
    body: { model: { connectionId: t.connectionId, modelId: "voice" }, input: { text: "sea" } },
  }),
  listAssets: (t) => ({ query: { projectId: t.projectId } }),
  countAssets: (t) => ({ query: { projectId: t.projectId } }),
  locateAsset: (t) => ({ query: { projectId: t.projectId, assetId: t.assetId } }),
  countAssetModels: (t) => ({ query: { projectId: t.projectId } }),
  layoutAssets: (t) => ({ query: { projectId: t.projectId } }),
  getAsset: (t) => ({ params: { assetId: t.assetId } }),
  listMadeFrom: (t) => ({ params: { assetId: t.assetId } }),
  updateAsset: (t) => ({ params: { assetId: t.assetId }, body: { rating: 1 } }),
  updateAssets: (t) => ({ body: { projectId: t.projectId, ids: [t.assetId], action: "keep" } }),
  listTags: (t) => ({ query: { projectId: t.projectId } }),
  countTags: (t) => ({ body: { projectId: t.projectId, ids: [t.assetId] } }),
  updateTag: (t) => ({ params: { tagId: t.tagId }, body: { name: "blue" } }),
  mergeTag: (t) => ({ params: { tagId: t.tagId }, body: { into: t.otherTagId } }),
  removeTag: (t) => ({ params: { tagId: t.otherTagId } }),
  listCollections: (t) => ({ query: { projectId: t.projectId } }),
  getCollection: (t) => ({ params: { collectionId: t.collectionId } }),
  createCollection: (t) => ({ body: { projectId: t.projectId, name: "Faro" } }),
  updateCollection: (t) => ({ params: { collectionId: t.collectionId }, body: { name: "Sintra" } }),
  orderCollection: (t) => ({
    params: { collectionId: t.collectionId },
    body: { ids: [t.assetId], after: null },
  }),
  removeCollection: (t) => ({ params: { collectionId: t.trashedCollectionId } }),
  getFile: (t) => ({ params: { assetId: t.assetId } }),
  getVariant: (t) => ({ params: { assetId: t.assetId, variant: "thumb-320.webp" } }),
  downloadAssets: (t) => ({ query: { projectId: t.projectId, ids: t.assetId } }),
  downloadSelection: (t) => ({
    query: { projectId: t.projectId },
    body: { ids: [t.assetId] },
  }),
  listBudgets: () => ({}),
  listInstanceBudgets: () => ({}),
  listPayers: () => ({ query: { scope: "user" } }),
  setBudgets: (t) => ({ body: { scope: "user", scopeIds: [t.otherUserId], ...budget } }),
  setProjectBudget: (t) => ({ params: { projectId: t.projectId }, body: budget }),
  setModelPrice: (t) => ({
    params: { connectionId: t.ownConnectionId },
    body: { modelId: "m", ceilingMicros: 1 },
  }),
  listWaiting: () => ({}),
  decideWaiting: (t) => ({ params: { runId: t.runId }, body: { allow: true } }),
  listWebhooks: () => ({}),
  addWebhook: () => ({ body: { url: "https://hooks.example.org/bottega" } }),
  listPausedWebhooks: () => ({}),
  listProjectWebhooks: (t) => ({ params: { projectId: t.projectId } }),
  addProjectWebhook: (t) => ({
    params: { projectId: t.projectId },
    body: { url: "https://hooks.example.org/bottega" },
  }),
  updateWebhook: (t) => ({ params: { webhookId: t.webhookId }, body: { events: ["run.failed"] } }),
  removeWebhook: (t) => ({ params: { webhookId: t.webhookId } }),
  rotateWebhookSecret: (t) => ({ params: { webhookId: t.webhookId } }),
  testWebhook: (t) => ({ params: { webhookId: t.webhookId } }),
  listDeliveries: (t) => ({ params: { webhookId: t.webhookId } }),
  deliverAgain: (t) => ({ params: { webhookId: t.webhookId, deliveryId: t.runId } }),
  getUsage: () => ({ query: range }),
  getKeepers: () => ({ query: range }),
  getInstanceUsage: () => ({ query: range }),
  downloadUsage: () => ({ query: range }),
  downloadInstanceUsage: () => ({ query: range }),
  compareBill: (t) => ({
    params: { connectionId: t.ownConnectionId },
    body: { ...range, key: "k" },
  }),
  compareInvoice: (t) => ({ params: { connectionId: t.ownConnectionId }, query: range }),
  adoptBill: (t) => ({
    params: { connectionId: t.ownConnectionId },
    body: { costs: [{ runId: t.runId, billedMicros: 1, bookedMicros: 0 }], source: "bill" },
  }),
  createUpload: (t) => ({ query: { projectId: t.projectId, name: "a.txt" } }),
};

export const mayWith = (scope: KeyScope, name: RouteName): boolean => {
  const needed = scopesOfRoutes[name];
  return needed === "any" || (needed !== "never" && needed.some((one) => hasScope([scope], one)));
};
export const names = Object.keys(routes) as RouteName[];
export const needsProject: readonly Permission[] = [
  "view",
  "edit",
  "manage",
  "author",
  "webhook:manage",
];
/** OpenAI's API is only for keys, each in its own project. */
export const isForKeys = (name: RouteName): boolean =>
  (routes[name] as Route).target?.from === "key";
/** The routes that name a project by its id, for a person or a key. */
export const ofProject = names.filter(
  (name) => needsProject.includes((routes[name] as Route).permission) && !isForKeys(name),
);
/** Without a port, a socket's raw response can't be read; streams have separate tests. */
export const streams = new Set<RouteName>(["getRunEvents", "pullLocalModel"]);
/** Only a run's author can read it through fal's client, whoever else may see the run. */
export const isForAuthors = (name: RouteName): boolean => name === "getFromFal";

/** Inserts a connection without calling a provider. */
async function insertConnectionOf(
  instance: Instance,
  userId: string,
  of: { scope: "user" | "project"; scopeId: string },
): Promise<string> {
  const connection = buildConnection({
    kind: "openai-compatible",
    name: of.scope,
    ...of,
    createdBy: userId,
  });
  await instance.commit(({ tx }) => insertConnection(tx, connection));
  return connection.id;
}

/**
 * An instance whose owner owns everything that the calls name, and three other people: one without
 * a project in common, a viewer, and a suspended one.
 */
export async function createRouteWorld(database: TestDatabase) {
  const instance = await createInstance(database, { adapters: [builtin] });
  const owner = await instance.createPerson("owner@example.org", { role: "owner" });
  const other = await instance.createPerson("other@example.org");
  const viewer = await instance.createPerson("viewer@example.org");
  const suspended = await instance.createPerson("suspended@example.org", { role: "admin" });
  const { projectId } = owner;
  await instance.commit(async ({ tx }) => {
    await updateUser(tx, suspended.user.id, { status: "suspended" });
    for (const [person, role] of [
      [viewer, "viewer"],
      [suspended, "manager"],
    ] as const)
      await insertMember(tx, { projectId, userId: person.user.id, role, at: 0 });
  });
  const { connections } = (await owner.call<{ connections: Connection[] }>("listConnections")).body;
  const { id: connectionId, slug } = connections.find(
    (connection) => connection.kind === "builtin",
  )!;
  const { conversation } = (
    await owner.call<{ conversation: Conversation }>("createConversation", {
      body: { projectId },
    })
  ).body;
  const trashed = await owner.call<{ conversation: Conversation }>("createConversation", {
    body: { projectId },
  });
  const trashedConversationId = trashed.body.conversation.id;
  await owner.call("removeConversation", { params: { conversationId: trashedConversationId } });
  const sent = await owner.call<{ message: Message }>("sendMessage", {
    params: { conversationId: conversation.id },
    body: { parentId: null, text: "What is a run?" },
  });
  await owner.call("putWordList", {
    params: { projectId, list: "colors" },
    body: { items: ["red", "green"] },
  });
  const foldered = await owner.call<RouteOutput<"createFolder">>("createFolder", {
    body: { projectId, name: "Drafts" },
  });
  const made = await owner.call<{ runs: Run[] }>("createRuns", {
    body: {
      projectId,
      models: [{ connectionId, modelId: "pattern" }],
      task: "image",
      input: { prompt: "sea", image_size: { width: 64, height: 64 } },
      variants: 2,
    },
  });
  const [first, second] = made.body.runs;
  const compared = await owner.call<{ comparison: { id: string } }>("createComparison", {
    body: { projectId, entries: [{ runId: first!.id }, { runId: second!.id }] },
  });
  const asset = await until(
    "the picture is made",
    async () =>
      (await owner.call<{ assets: Asset[] }>("listAssets", { query: { projectId } })).body
        .assets[0],
  );
  const tagged = await owner.call<RouteOutput<"updateAssets">>("updateAssets", {
    body: { projectId, ids: [asset.id], action: "tag", tags: ["sea", "cover"] },
  });
  const [tagId, otherTagId] = tagged.body.undo[0]!.tagIds!;
  const collect = async (name: string) => {
    const made = await owner.call<RouteOutput<"createCollection">>("createCollection", {
      body: { projectId, name },
    });
    const collectionId = made.body.collection.id;
    await owner.call("updateAssets", {
      body: { projectId, ids: [asset.id], action: "collect", collectionId },
    });
    return collectionId;
  };
  const collectionId = await collect("Lisbon");
  const trashedCollectionId = await collect("Porto");
  await owner.call("updateCollection", {
    params: { collectionId: trashedCollectionId },
    body: { trashed: true },
  });
  const ownConnectionId = await insertConnectionOf(instance, owner.user.id, {
    scope: "user",
    scopeId: owner.user.id,
  });
  const projectConnectionId = await insertConnectionOf(instance, owner.user.id, {
    scope: "project",
    scopeId: projectId,
  });
  const hook = await owner.call<{ id: string }>("addProjectWebhook", {
    params: { projectId },
    body: { url: "https://hooks.example.org/bottega" },
  });
  const things: Things = {
    projectId,
    conversationId: conversation.id,
    trashedConversationId,
    messageId: sent.body.message.id,
    runId: first!.id,
    secondRunId: second!.id,
    comparisonId: compared.body.comparison.id,
    assetId: asset.id,
    folderId: foldered.body.folder.id,
    tagId: tagId!,
    otherTagId: otherTagId!,
    collectionId,
    trashedCollectionId,
    connectionId,
    ownConnectionId,
    projectConnectionId,
    webhookId: hook.body.id,
    userId: owner.user.id,
    otherUserId: other.user.id,
    chatModel: `${slug}/guide`,
    imageModel: `${slug}/pattern`,
  };
  return { instance, owner, other, viewer, suspendedCookie: suspended.cookie, things };
}
export type RouteWorld = Awaited<ReturnType<typeof createRouteWorld>>;
