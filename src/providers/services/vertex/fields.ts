import type { ConnectionField } from "../../adapter.ts";

/** The ways to sign in; the first is the default. */
export const signIns = ["service account", "API key", "machine"] as const;

/** A placeholder for the location's host. */
export const defaultApi = "https://aiplatform.googleapis.com";

const byAccount = { field: "signIn", is: ["service account"] } as const;
const inProject = { field: "signIn", is: ["service account", "machine"] } as const;

export const vertexFields: readonly ConnectionField[] = [
  {
    name: "signIn",
    label: "Sign in with",
    kind: "choice",
    required: false,
    choices: signIns,
    hint: "The machine’s account belongs to this server. Only an admin can connect it, for everyone. An API key only opens Google’s own models.",
  },
  {
    name: "serviceAccount",
    label: "Key of the service account",
    kind: "secret",
    required: true,
    when: byAccount,
    hint: "The whole JSON file from the Google Cloud console, under IAM, Service Accounts, Keys. Required role: Vertex AI User.",
  },
  {
    name: "apiKey",
    label: "API key",
    kind: "secret",
    required: true,
    when: { field: "signIn", is: ["API key"] },
    hint: "From the Vertex AI console, in express mode.",
  },
  {
    name: "project",
    label: "Project id",
    kind: "text",
    required: false,
    when: inProject,
    placeholder: "my-project-123456",
    hint: "Empty: the project of the key file. The machine’s account requires it.",
  },
  {
    name: "location",
    label: "Location",
    kind: "text",
    required: false,
    when: inProject,
    placeholder: "global",
    hint: "Such as us-central1, europe-west4, eu, us, or global. Each offers its own models. Veo and Imagen require a region.",
  },
  {
    name: "storageUri",
    label: "Bucket for videos",
    kind: "text",
    required: false,
    advanced: true,
    when: inProject,
    placeholder: "gs://my-bucket/films",
    hint: "Empty: videos are part of the answer. The account must read from and write to the bucket.",
  },
  {
    name: "models",
    label: "More models",
    kind: "text",
    required: false,
    advanced: true,
    placeholder: '[{"id": "anthropic/claude-new", "task": "chat"}]',
    hint: "A JSON list of id and task. Partner models have their publisher before the name: anthropic/…, meta/….",
  },
  {
    name: "api",
    label: "Address",
    kind: "url",
    required: false,
    address: "api",
    advanced: true,
    placeholder: defaultApi,
    hint: "Empty: the address of the location.",
  },
  {
    name: "token",
    label: "Address for tokens",
    kind: "url",
    required: false,
    address: "token",
    advanced: true,
    when: byAccount,
    placeholder: "https://oauth2.googleapis.com/token",
  },
];
