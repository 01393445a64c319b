import type { Adapter, AnswerPart, ConnectionField, RunContext, RunRequest } from "../adapter.ts";
import { awsFields, stsAddress } from "../aws/fields.ts";
import { s3Address } from "../aws/s3.ts";
import { answerChat } from "./chat.ts";
import { answerText } from "./embeddings.ts";
import { answerImage } from "./images.ts";
import { checkConnection, listModels } from "./models.ts";
import { openVideo, video } from "./video.ts";

const addresses = {
  api: "https://bedrock-runtime.{region}.amazonaws.com",
  control: "https://bedrock.{region}.amazonaws.com",
  s3: s3Address,
  sts: stsAddress,
};
const labels: Readonly<Record<keyof typeof addresses, string>> = {
  api: "Runtime address",
  control: "Model list address",
  s3: "S3 address",
  sts: "Role address",
};

/** Amazon Bedrock: Converse for chats, InvokeModel for pictures, StartAsyncInvoke for videos. */
export const bedrock: Adapter = {
  kind: "bedrock",
  name: "Amazon Bedrock",
  summary: "Claude, Nova, Llama, Mistral, Stability and others, in your AWS account.",
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
      hint: "Bedrock writes videos into a bucket of yours, in the same region. Without one there is no video.",
    },
    {
      name: "guardrail",
      label: "Guardrail",
      kind: "text",
      required: false,
      advanced: true,
      hint: "The id or ARN. Every chat then goes through it.",
    },
    { name: "guardrailVersion", label: "Guardrail version", kind: "text", required: false, advanced: true, placeholder: "DRAFT" },
    ...Object.entries(addresses).map(
      ([address, placeholder]): ConnectionField => ({
        name: `${address}Address`,
        label: labels[address as keyof typeof addresses],
        kind: "url",
        required: false,
        placeholder,
        address,
        advanced: true,
      }),
    ),
  ],
  addresses,
  tasks: ["chat", "image", "edit", "video", "embedding"],
  check: checkConnection,
  models: listModels,
  answer: answerByTask,
  prefersAnswer: (_options, { task }) => task !== "video",
  job: video,
  openFile: openVideo,
  // The bucket keeps them for as long as its owner likes.
  outputLifetimeMs: 7 * 24 * 60 * 60_000,
};

function answerByTask(request: RunRequest, context: RunContext): AsyncIterable<AnswerPart> {
  if (request.task === "chat") return answerChat(request, context);
  return request.task === "embedding" ? answerText(request, context) : answerImage(request, context);
}
