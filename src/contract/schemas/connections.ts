import { z } from "zod";
import {
  asset,
  connection,
  id,
  modality,
  model,
  modelDetail,
  name,
  ownFacts,
  task,
} from "../entities.ts";
import { modelFamilyNames } from "../filters/model-families.ts";
import {
  localActs,
  localModelStates,
  modelCapabilities,
  modelOrders,
  priceKinds,
  runPlaces,
  serviceGroups,
  usedModelOrders,
} from "../filters/model-filters.ts";
import { searchedText } from "../filters/searched-text.ts";
import { limits } from "../limits.ts";
import { signInPlaces } from "../sign-in.ts";
import { found } from "./session.ts";

const connectionParam = z.object({ connectionId: id });
/** Recognized by words in a model's id or name. */
const modelFamily = z.enum(modelFamilyNames);
const field = z.object({
  name: z.string(),
  label: z.string(),
  kind: z.enum(["secret", "url", "text", "number", "choice"]),
  required: z.boolean(),
  hint: z.string().optional(),
  choices: z.array(z.string()).optional(),
  placeholder: z.string().optional(),
  address: z.string().optional(),
  advanced: z.boolean().optional(),
  /**
   * The field is shown, and required, only if that choice has one of these values. An unset choice
   * counts as its first value.
   */
  when: z.object({ field: z.string(), is: z.array(z.string()) }).optional(),
});
const connectionKind = z.object({
  kind: z.string(),
  name: z.string(),
  summary: z.string(),
  /** The category of the service, for long lists. */
  group: z.enum(serviceGroups),
  free: z.boolean(),
  /** Features that its chats don't support. */
  lacks: z.array(z.enum(["tools", "answerShape"])),
  local: z.boolean(),
  /** Whether its models are workflows that people add. */
  workflows: z.boolean(),
  /** With this choice, people sign in at the server. */
  signInWhen: z.object({ field: z.string(), is: z.string() }).nullable(),
  /**
   * The address that people return to after signing in, which an app registered at the server has
   * to allow.
   */
  signInRedirect: z.string().nullable(),
  /** Where to get a key that can read the bills; null if they can't be read. */
  billKeyHint: z.string().nullable(),
  tasks: z.array(task),
  /** Whether people can set the tasks of its models, because its list often doesn't state them. */
  takesTasks: z.boolean(),
  fields: z.array(field),
  addresses: z.record(z.string(), z.string()),
});
/** Keyed by field name; a secret among them is sealed and never returned. */
const values = z.record(
  z.string().max(60),
  z.union([z.string().max(20_000), z.number(), z.boolean()]),
);
const one = z.object({ connection });
/** A parameter with which another server redirects the browser back. */
const back = (characters: number) => z.string().min(1).max(characters).optional().catch(undefined);
const workflowParam = connectionParam.extend({
  workflowId: z.string().min(1).max(limits.nameCharacters),
});
/** The workflow as the text of its file; its parser limits the length. */
const workflowBody = z.strictObject({ name, workflow: z.string().min(1) });
const oneWorkflow = z.object({
  workflow: z.object({ id: z.string(), name: z.string(), tasks: z.array(task) }),
});
const projectParam = z.object({ projectId: id });
const listed = z.object({
  connections: z.array(
    connection.extend({ mayManage: z.boolean(), models: z.int(), runsOn: z.enum(runPlaces) }),
  ),
  /** Whether the reader may add a connection here that isn't shared with everyone. */
  mayAdd: z.boolean(),
});
const asked = z.strictObject({ kind: z.string().max(60), name, values: values.default({}) });
const connected = one.extend({ message: z.string() });

export const connectionSchemas = {
  listKinds: { response: z.object({ kinds: z.array(connectionKind) }) },
  lookForServers: { response: z.object({ found: z.array(found) }) },
  listConnections: {
    response: listed.extend({
      /**
       * The number of aliases that the reader may use. They are models of a connection that isn't
       * listed.
       */
      aliases: z.int(),
    }),
  },
  createConnection: {
    body: asked.extend({
      scope: z.enum(["instance", "user"]),
      take: z.string().max(100).optional(),
    }),
    response: connected,
  },
  listProjectConnections: { params: projectParam, response: listed },
  createProjectConnection: { params: projectParam, body: asked, response: connected },
  getConnection: { params: connectionParam, response: one },
  updateConnection: {
    params: connectionParam,
    body: z.strictObject({
      name: name.optional(),
      values: values.optional(),
      disabled: z.boolean().optional(),
    }),
    response: one,
  },
  removeConnection: { params: connectionParam, response: z.object({}) },
  checkConnection: {
    params: connectionParam,
    response: one.extend({ message: z.string(), models: z.int() }),
  },
  beginSignIn: {
    params: connectionParam,
    body: z.strictObject({ from: z.enum(signInPlaces).default("settings") }),
    response: z.object({ url: z.string() }),
  },
  // Invalid parameters also have to redirect to a screen.
  finishSignIn: {
    query: z.object({ state: back(200), code: back(4_000), iss: back(1_000), error: back(200) }),
  },
  listLocalModels: {
    params: connectionParam,
    response: z.object({
      /** Models in memory. */
      loaded: z.array(
        z.object({
          model: z.string(),
          bytes: z.number().optional(),
          expiresAt: z.number().optional(),
        }),
      ),
      /** All models of the server, with their state. */
      models: z.array(
        z.object({ model: z.string(), name: z.string(), state: z.enum(localModelStates) }),
      ),
      /** The actions on models that the server allows. */
      acts: z.array(z.enum(localActs)),
    }),
  },
  loadLocalModel: {
    params: connectionParam,
    body: z.strictObject({ model: z.string().min(1).max(400) }),
    response: z.object({}),
  },
  unloadLocalModel: {
    params: connectionParam,
    body: z.strictObject({ model: z.string().min(1).max(400) }),
    response: z.object({}),
  },
  pullLocalModel: {
    params: connectionParam,
    body: z.strictObject({ model: z.string().min(1).max(400) }),
  },
  removeLocalModel: {
    params: connectionParam,
    query: z.object({ model: z.string().min(1).max(400) }),
    response: z.object({}),
  },
  listWorkflows: {
    params: connectionParam,
    response: z.object({
      /** `isOffered`: the server could run it when it was last asked. */
      workflows: z.array(
        z.object({ id: z.string(), name: z.string(), updatedAt: z.int(), isOffered: z.boolean() }),
      ),
    }),
  },
  addWorkflow: { params: connectionParam, body: workflowBody, response: oneWorkflow },
  replaceWorkflow: { params: workflowParam, body: workflowBody, response: oneWorkflow },
  removeWorkflow: { params: workflowParam, response: z.object({}) },
  listModels: {
    query: z.object({
      projectId: id,
      task: task.optional(),
      search: searchedText.optional(),
      connectionId: id.optional(),
      takes: modality.optional(),
      gives: modality.optional(),
      family: modelFamily.optional(),
      /** One or several, separated by commas. */
      can: z
        .string()
        .max(200)
        .transform((text) => text.split(","))
        .pipe(z.array(z.enum(modelCapabilities)))
        .optional(),
      /** The minimum number of tokens. */
      context: z.coerce.number().int().min(0).max(1_000_000_000).optional(),
      price: z.enum(priceKinds).optional(),
      runsOn: z.enum(runPlaces).optional(),
      /** Released in the last 14 days. */
      new: z.literal("true").optional(),
      starred: z.literal("true").optional(),
      /** Only models whose provider has a sample of their results. */
      sampled: z.literal("true").optional(),
      order: z.enum(modelOrders).default("name"),
      cursor: z.string().max(600).optional(),
      limit: z.coerce.number().int().min(1).max(limits.pageSizeMost).default(limits.pageSize),
    }),
    response: z.object({ models: z.array(model), next: z.string().nullable() }),
  },
  listUsedModels: {
    query: z.object({
      projectId: id,
      task: task.optional(),
      connectionId: id.optional(),
      takes: modality.optional(),
      gives: modality.optional(),
      family: modelFamily.optional(),
      runsOn: z.enum(runPlaces).optional(),
      order: z.enum(usedModelOrders).default("recent"),
      cursor: z.string().max(200).optional(),
      limit: z.coerce.number().int().min(1).max(50).default(24),
    }),
    response: z.object({
      models: z.array(
        z.object({
          model,
          /** Up to three of the newest results that you may see: kept first, rejected last. */
          assets: z.array(asset),
          /** The median duration of the last runs, from start to end. */
          medianMs: z.number().int().min(0).nullable(),
          /** The number of runs in the median. */
          runs: z.number().int().positive(),
        }),
      ),
      next: z.string().nullable(),
    }),
  },
  countModelTasks: {
    query: z.object({
      projectId: id,
      connectionId: id.optional(),
      runsOn: z.enum(runPlaces).optional(),
      /** Counts families only among the models of this task. */
      task: task.optional(),
      /** Counts tasks only among the models of this family. */
      family: modelFamily.optional(),
    }),
    response: z.object({
      tasks: z.array(z.object({ task, models: z.number().int().positive() })),
      /** The largest first. */
      families: z.array(
        z.object({
          family: modelFamily,
          name: z.string(),
          models: z.number().int().positive(),
        }),
      ),
    }),
  },
  getModel: {
    params: connectionParam,
    query: z.object({ projectId: id, model: z.string().min(1).max(400) }),
    response: z.object({ model: modelDetail }),
  },
  getModelSample: {
    params: connectionParam,
    query: z.object({ projectId: id, model: z.string().min(1).max(400) }),
  },
  setModelFacts: {
    params: connectionParam,
    body: z.strictObject({ modelId: z.string().min(1).max(400), facts: ownFacts.nullable() }),
    response: z.object({}),
  },
  starModel: {
    params: connectionParam,
    body: z.strictObject({ modelId: z.string().min(1).max(400) }),
    response: z.object({}),
  },
  unstarModel: {
    params: connectionParam,
    query: z.object({ model: z.string().min(1).max(400) }),
    response: z.object({}),
  },
};
