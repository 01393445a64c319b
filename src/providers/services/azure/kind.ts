import type { ConnectionKind } from "../../adapter.ts";
import { logprobParameters, responsesParameters } from "../../wire/passed-parameters.ts";
import { offeredTasks } from "../openai-compatible/offered-tasks.ts";

/**
 * OpenAI's models as an Azure resource offers them, over its v1 API. Protocol and sources:
 * docs/providers/azure.md.
 */
export const azureKind: ConnectionKind = {
  kind: "azure",
  name: "Azure OpenAI",
  summary: "Your own deployments of GPT, pictures, speech and transcripts at Microsoft Azure.",
  group: "cloud",
  docs: "azure.md",
  runsOn: "cloud",
  fields: [
    {
      name: "api",
      label: "Resource address",
      kind: "url",
      required: true,
      address: "api",
      placeholder: "https://my-resource.openai.azure.com",
      hint: "From the portal, under Keys and Endpoint.",
    },
    {
      name: "signIn",
      label: "Sign in with",
      kind: "choice",
      required: false,
      choices: ["key", "Entra ID"],
    },
    {
      name: "key",
      label: "Key",
      kind: "secret",
      required: true,
      hint: "From the portal, under Keys and Endpoint.",
      when: { field: "signIn", is: ["key"] },
    },
    {
      name: "tenant",
      label: "Tenant ID",
      kind: "text",
      required: true,
      when: { field: "signIn", is: ["Entra ID"] },
    },
    {
      name: "clientId",
      label: "Client ID",
      kind: "text",
      required: true,
      hint: "From an app registration with the role Cognitive Services OpenAI User on the resource.",
      when: { field: "signIn", is: ["Entra ID"] },
    },
    {
      name: "clientSecret",
      label: "Client secret",
      kind: "secret",
      required: true,
      when: { field: "signIn", is: ["Entra ID"] },
    },
    {
      name: "deployments",
      label: "Deployments",
      kind: "text",
      required: false,
      placeholder: "chat = gpt-5.5, pictures = gpt-image-2, mine = new-model : chat",
      hint: `Each name with its model, and its task (${[...offeredTasks, "video"].join(", ")}) if the model is new. No Azure key can list deployments.`,
    },
    {
      name: "chatApi",
      label: "Chat API",
      kind: "choice",
      required: false,
      advanced: true,
      choices: ["responses", "chat completions"],
      hint: "Choose chat completions if the deployment’s region has no Responses API.",
    },
    {
      name: "apiVersion",
      label: "API version",
      kind: "text",
      required: false,
      advanced: true,
      placeholder: "preview",
      hint: "Leave it empty for general availability. Enter preview for preview features.",
    },
    {
      name: "login",
      label: "Sign-in address",
      kind: "url",
      required: false,
      advanced: true,
      address: "login",
      placeholder: "https://login.microsoftonline.com",
      hint: "Only for national clouds.",
      when: { field: "signIn", is: ["Entra ID"] },
    },
  ],
  addresses: { api: "", login: "https://login.microsoftonline.com" },
  tasks: [...offeredTasks, "video"],
  passes: responsesParameters,
  refusesInReasoning: logprobParameters,
  embeds: { most: 2_048, tokens: true },
  toolUsesMost: 3,
};
