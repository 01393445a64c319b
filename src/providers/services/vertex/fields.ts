import type { ConnectionField } from "../../adapter.ts";

/** The ways to sign in; a new connection begins with the first. */
export const signIns = ["service account", "API key", "machine"] as const;

/** Stands for the host that the location has. */
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
    hint: "The machine’s account belongs to this server: an admin connects it for everyone. An API key opens Google’s own models alone.",
  },
  {
    name: "serviceAccount",
    label: "Key of the service account",
    kind: "secret",
    required: true,
    when: byAccount,
    hint: "The whole JSON file from the Google Cloud console, under IAM, Service Accounts, Keys. Its role: Vertex AI User.",
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
    hint: "Left empty, that of the key file. The machine’s account needs it.",
  },
  {
    name: "location",
    label: "Location",
    kind: "text",
    required: false,
    when: inProject,
    placeholder: "global",
    hint: "Such as us-central1, europe-west4, eu, us, or global. Each has models of its own; Veo and Imagen want a region.",
  },
  {
    name: "storageUri",
    label: "Bucket for films",
    kind: "text",
    required: false,
    advanced: true,
    when: inProject,
    placeholder: "gs://my-bucket/films",
    hint: "Left empty, films come in the answer. The account needs to write to and read from it.",
  },
  {
    name: "models",
    label: "Further models",
    kind: "text",
    required: false,
    advanced: true,
    placeholder: '[{"id": "anthropic/claude-new", "task": "chat"}]',
    hint: "A JSON list of id and task. Models of partners have their maker before the name: anthropic/…, meta/….",
  },
  {
    name: "api",
    label: "Address",
    kind: "url",
    required: false,
    address: "api",
    advanced: true,
    placeholder: defaultApi,
    hint: "Left empty, that of the location.",
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
