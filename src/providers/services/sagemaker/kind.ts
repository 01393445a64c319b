import type { ConnectionKind } from "../../adapter.ts";
import { awsAddresses, awsFields } from "../../aws/fields.ts";

/** The protocols that an endpoint may use. */
export const templates = ["messages", "tgi", "images", "json"] as const;
const { addresses, fields } = awsAddresses(
  {
    api: "https://runtime.sagemaker.{region}.amazonaws.com",
    control: "https://api.sagemaker.{region}.amazonaws.com",
  },
  "Endpoint list address",
);

/** Amazon SageMaker: models that an account runs on its own endpoints. */
export const sagemakerKind: ConnectionKind = {
  kind: "sagemaker",
  name: "Amazon SageMaker",
  summary: "Models on endpoints of your AWS account: vLLM, TGI, JumpStart and others.",
  group: "cloud",
  docs: "sagemaker.md",
  runsOn: "cloud",
  fields: [
    ...awsFields(["access key", "profile", "machine role"]),
    {
      name: "template",
      label: "Endpoint API",
      kind: "choice",
      required: false,
      choices: templates,
      hint: "messages: OpenAI’s chat API, as in vLLM, LMI and TGI. tgi: TGI’s own inputs. images: JumpStart’s pictures. json: any input you write.",
    },
    {
      name: "endpoints",
      label: "Exceptions",
      kind: "text",
      required: false,
      placeholder: "my-painter: images, my-filmer: json async",
      hint: "Names with their API, separated by commas. async: the endpoint reads from and writes to a bucket.",
    },
    {
      name: "asyncBucket",
      label: "Bucket for asynchronous input",
      kind: "text",
      required: false,
      advanced: true,
      placeholder: "s3://my-bucket/bottega",
    },
    ...fields,
  ],
  addresses,
  tasks: ["chat", "image", "other"],
  needsOutputLimit: true,
};
