import { grouped } from "../counts.ts";

/** Results of checks, keys, addresses and lists of models. */
export const connections = {
  noApiKey: "This connection has no API key.",
  noAccessKey: "This connection has no access key.",
  noSecretAccessKey: "This connection has no secret access key.",
  builtinModels: ({ count }: { count: number }) => `${count} models run on this machine.`,
  keyUnsendable: "The key contains a character that can’t be sent.",
  notAnAddress: "This is not an address. It must begin with https://.",
  redirected: ({ origin }: { origin: string }) =>
    `This address redirects to ${origin}. Enter that as the connection’s address.`,
  noKey: "This connection has no key.",
  oneModel: "Connected: 1 model.",
  models: ({ count }: { count: number }) => `Connected: ${grouped(count)} models.`,
  noModelList: "The address responded, but not with a list of models.",
  oneDeployment: "Connected: 1 deployment.",
  deployments: ({ count }: { count: number }) => `Connected: ${grouped(count)} deployments.`,
  deployableModels: ({ count }: { count: number }) =>
    `Connected: ${grouped(count)} deployable models. Name your deployments to list only those.`,
  noModelListAzure:
    "The address responded, but not with a list of models. It often ends in /openai/v1.",
  notBedrock: "The address responded, but not with Amazon Bedrock’s API.",
  noBedrockModelList: "The address responded, but not with Bedrock’s list of models.",
  taskNotOffered: ({ task }: { task: string }) =>
    `This kind of connection does not support “${task}”.`,
  modelsAndVoices: ({ models, voices }: { models: number; voices: number }) =>
    `Connected: ${grouped(models)} speech models and ${grouped(voices)} voices.`,
  noSpeech: "This connection has no speech models.",
  credit: ({ dollars }: { dollars: string }) => `Connected: $${dollars} of credit.`,
  noAddress: "This connection has no address.",
  notOllama: "This server is not Ollama.",
  notOllamaAnswer: "The address responded, but not with Ollama’s API.",
  pullIncomplete: "The pull ended early. Pull the model again to resume.",
  noOllamaModelList: "The address responded, but not with Ollama’s list of models.",
  apiElsewhere: ({ address }: { address: string }) =>
    `The API answers at ${address}. Use that address.`,
  noModelListV1: "The address responded, but not with a list of models. It often ends in /v1.",
  furtherModelsForm: 'More models are a JSON list, such as [{"id": "tts-1", "task": "speech"}].',
  furtherModelsList: "More models must be a list.",
  furtherModelNoId: ({ index }: { index: number }) => `Model ${index} has no ID.`,
  furtherModelNoTask: ({ model, tasks }: { model: string; tasks: string }) =>
    `Model ${model} needs a task: ${tasks}.`,
  account: ({ account }: { account: string }) => `Connected as ${account}.`,
  noCollection: ({ collection }: { collection: string }) =>
    `Replicate has no collection “${collection}”.`,
  noReplicateModel: ({ model }: { model: string }) => `Replicate has no model “${model}”.`,
  tooMany: ({ most }: { most: number }) =>
    `There are ${most} connections here already. Disconnect one before you add another.`,
  tooManySearches: "Enter at most ten searches.",
  tooManyCollections: "Enter at most twenty collections.",
  tooManyModels: "Enter at most a hundred more models.",
  oneEndpoint: "Connected: 1 endpoint in service.",
  endpoints: ({ count }: { count: number }) => `Connected: ${grouped(count)} endpoints in service.`,
  notSageMaker: "The address responded, but not with Amazon SageMaker’s API.",
  noServiceAccountKey: "This connection has no service account key.",
  location: ({ location }: { location: string }) => `Connected: ${location}.`,
  notService: ({ service }: { service: string }) =>
    `The address responded, but not with ${service}’s API.`,
  personalOff: "The admins of this Bottega have disabled personal connections.",
  adminsOnly: "Only an admin can connect a service for everyone.",
  builtinNotRemovable: "The built-in models can’t be removed. You can disable them.",
  runsActive: "This connection has active runs. Wait for them, or cancel them.",
  connected: "Connected.",
  builtinThere: "The built-in models are already connected.",
  builtinNoSettings: "The built-in models have no settings.",
  noField: ({ service, field }: { service: string; field: string }) =>
    `${service} has no field “${field}”.`,
  fieldMissing: ({ field }: { field: string }) => `${field} is missing.`,
  missing: "This server or key is no longer available.",
  llamaAddress: "It ends in /v1. Older servers listen on port 8080.",
  oneAtOnce: "Answers one question at a time.",
  manyAtOnce: ({ count }: { count: number }) => `Answers ${count} questions at once.`,
  runsAt: ({ host }: { host: string }) => `Runs at ${host}.`,
  keyNeeded: ({ name, address }: { name: string; address: string }) =>
    `${name} at ${address} requires a key. Add it as a connection with its key.`,
  modelNotLoaded: ({ model }: { model: string }) => `The server failed to load ${model}.`,
  noLocalModels: ({ service }: { service: string }) =>
    `${service} manages its own models. Change them there.`,
  noAdapter: ({ kind }: { kind: string }) => `This server has no adapter for “${kind}”.`,
  otherMasterKey: "The stored key can’t be decrypted: this server has a different master key.",
  noSignIn: "This connection needs no sign-in.",
  detailsChanged: "Someone else has changed this model’s details.",
  detailsFixed: ({ service }: { service: string }) => `${service} describes its models itself.`,
  modelGone: "The service no longer lists this model.",
  disabled: "The connection of this model was removed or disabled.",
  modelUnavailable: "This model is no longer available, or you have no access to it. Ask an admin.",
  noWorkflows: ({ service }: { service: string }) => `${service} does not support workflows.`,
  lacksTask: ({ task, tasks }: { task: string; tasks: string }) =>
    `does not support “${task}”${tasks && `. It supports ${tasks}`}.`,
  modelLacksTask: ({ model, lack }: { model: string; lack: string }) =>
    `${model} ${lack} Choose another model.`,
};
