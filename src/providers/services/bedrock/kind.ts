import type { ConnectionKind } from "../../adapter.ts";
import { awsAddresses, awsFields } from "../../aws/fields.ts";
import { isClaude } from "./catalogue.ts";

const { addresses, fields } = awsAddresses(
  {
    api: "https://bedrock-runtime.{region}.amazonaws.com",
    control: "https://bedrock.{region}.amazonaws.com",
  },
  "Model list address",
);

/** Amazon Bedrock: Converse for chats, InvokeModel for pictures, StartAsyncInvoke for videos. */
export const bedrockKind: ConnectionKind = {
  kind: "bedrock",
  name: "Amazon Bedrock",
  summary: "Claude, Nova, Llama, Mistral, Stability and others, in your AWS account.",
  group: "cloud",
  docs: "bedrock.md",
  runsOn: "cloud",
  fields: [
    ...awsFields(["access key", "API key", "profile", "machine role"]),
    {
      name: "outputBucket",
      label: "Bucket for videos",
      kind: "text",
      required: false,
      placeholder: "s3://my-bucket/bottega",
      hint: "Bedrock writes videos to this bucket, in the same region. Videos require one.",
    },
    {
      name: "guardrail",
      label: "Guardrail",
      kind: "text",
      required: false,
      advanced: true,
      hint: "The ID or ARN. Applies to every chat.",
    },
    {
      name: "guardrailVersion",
      label: "Guardrail version",
      kind: "text",
      required: false,
      advanced: true,
      placeholder: "DRAFT",
    },
    ...fields,
  ],
  addresses,
  tasks: ["chat", "image", "edit", "video", "embedding"],
  passes: ["top_k", "thinking_budget"],
  lacksParameter: (modelId) => !isClaude(modelId),
  // As many as Cohere's models accept per request. Amazon's accept one, so such a run makes several
  // requests.
  embeds: { most: 96, each: true },
  countsTokens: true,
  // The bucket keeps the files as long as its owner configures.
  outputLifetimeMs: 7 * 24 * 60 * 60_000,
};
