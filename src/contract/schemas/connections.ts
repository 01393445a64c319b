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
} from "../filters/model-filters.ts";
import { limits } from "../limits.ts";
import { signInPlaces } from "../sign-in.ts";
import { found } from "./session.ts";

const connectionParam = z.object({ connectionId: id });
/** By the words in a model's id or name. */
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
  /** Shown, and needed, only where that choice is one of these; a choice that was not made is its first. */
  when: z.object({ field: z.string(), is: z.array(z.string()) }).optional(),
});
const connectionKind = z.object({
  kind: z.string(),
  name: z.string(),
  summary: z.string(),
  /** What kind of service it is, for a list of many. */
  group: z.enum(serviceGroups),
  free: z.boolean(),
  /** What its chats have no word for. */
  lacks: z.array(z.enum(["tools", "answerShape"])),
  local: z.boolean(),
  /** Its models are workflows that people add. */
  workflows: z.boolean(),
  /** Where that choice is this, a person signs in at the server. */
  signInWhen: z.object({ field: z.string(), is: z.string() }).nullable(),
  /** The address to which people come back from there: an app that is registered there names it. */
  signInRedirect: z.string().nullable(),
  /** Its bill can be read with a key that is got there; null where it can't. */
  billKeyHint: z.string().nullable(),
  tasks: z.array(task),
  /** Which of these its model does may be said by a person, for its list often does not. */
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
/** What another server sends a browser back with. */
const back = (characters: number) => z.string().min(1).max(characters).optional().catch(undefined);
const workflowParam = connectionParam.extend({
  workflowId: z.string().min(1).max(limits.nameCharacters),
});
/** The workflow as the text of its file; how long it may be, its reader says. */
const workflowBody = z.strictObject({ name, workflow: z.string().min(1) });
const oneWorkflow = z.object({
  workflow: z.object({ id: z.string(), name: z.string(), tasks: z.array(task) }),
});
const projectParam = z.object({ projectId: id });
const listed = z.object({
  connections: z.array(
    connection.extend({ mayManage: z.boolean(), models: z.int(), runsOn: z.enum(runPlaces) }),
  ),
  /** Whether one may add a connection here that is not everybody's. */
  mayAdd: z.boolean(),
});
const asked = z.strictObject({ kind: z.string().max(60), name, values: values.default({}) });
const connected = one.extend({ message: z.string() });

export const connectionSchemas = {
  listKinds: { response: z.object({ kinds: z.array(connectionKind) }) },
  lookForServers: { response: z.object({ found: z.array(found) }) },
  listConnections: {
    response: listed.extend({
      /** How many aliases are open to one. They are models, and of no connection that one could open. */
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
  // What can't be read leads back to a screen as well.
  finishSignIn: {
    query: z.object({ state: back(200), code: back(4_000), iss: back(1_000), error: back(200) }),
  },
  listLocalModels: {
    params: connectionParam,
    response: z.object({
      /** Those in memory. */
      loaded: z.array(
        z.object({
          model: z.string(),
          bytes: z.number().optional(),
          expiresAt: z.number().optional(),
        }),
      ),
      /** All that the server lists, with their state there. */
      models: z.array(
        z.object({ model: z.string(), name: z.string(), state: z.enum(localModelStates) }),
      ),
      /** What the server lets others do with its models. */
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
      /** `isOffered`: the server can run it, as far as it said when it was asked last. */
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
      search: z.string().max(200).optional(),
      connectionId: id.optional(),
      takes: modality.optional(),
      gives: modality.optional(),
      family: modelFamily.optional(),
      /** One or several, with commas between. */
      can: z
        .string()
        .max(200)
        .transform((text) => text.split(","))
        .pipe(z.array(z.enum(modelCapabilities)))
        .optional(),
      /** At least so many tokens. */
      context: z.coerce.number().int().min(0).max(1_000_000_000).optional(),
      price: z.enum(priceKinds).optional(),
      runsOn: z.enum(runPlaces).optional(),
      /** Came in the last 14 days. */
      new: z.literal("true").optional(),
      starred: z.literal("true").optional(),
      /** Their provider has a sample of what they make. */
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
      cursor: z.string().max(200).optional(),
      limit: z.coerce.number().int().min(1).max(50).default(24),
    }),
    response: z.object({
      models: z.array(
        z.object({
          model,
          /** The newest pictures and films that you may see, three at most. */
          assets: z.array(asset),
          /** From start to finish, the median of the last runs. */
          medianMs: z.number().int().min(0).nullable(),
          /** How many runs the median is of. */
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
      /** Of its models, how many are of each family. */
      task: task.optional(),
      /** Of its models, how many do each task. */
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
