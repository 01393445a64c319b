import { onTestFinished } from "vitest";
import { startBedrock } from "../../simulators/bedrock.ts";
import { startS3 } from "../../simulators/s3/s3.ts";

/**
 * A Bedrock, the bucket for its videos, and the values of a connection to both. Ends with the test.
 */
export async function startBedrockWithBucket(options: { sessionToken?: string } = {}) {
  const s3 = await startS3();
  const bedrock = await startBedrock({
    ...options,
    putOutput: (uri, bytes) =>
      s3.put(
        uri.replace(`s3://${s3.bucket}/`, ""),
        uri.endsWith(".mp4") ? "video/mp4" : "application/json",
        bytes,
      ),
  });
  onTestFinished(async () => {
    await bedrock.stop();
    await s3.stop();
  });
  const { accessKeyId, secretAccessKey, region } = bedrock.keys;
  const values = {
    region,
    accessKeyId,
    secretAccessKey,
    outputBucket: `s3://${s3.bucket}/bottega`,
    apiAddress: bedrock.url,
    controlAddress: bedrock.url,
    s3Address: s3.endpoint,
    stsAddress: bedrock.url,
  };
  /** The connection as an adapter sees it. */
  const connection = {
    kind: "bedrock",
    addresses: { api: bedrock.url, control: bedrock.url, s3: s3.endpoint, sts: bedrock.url },
    options: { region, outputBucket: values.outputBucket },
    secret: JSON.stringify({
      accessKeyId,
      secretAccessKey,
      ...(options.sessionToken !== undefined && { sessionToken: options.sessionToken }),
    }),
  };
  return { bedrock, s3, values, connection, origins: [bedrock.url, s3.endpoint] };
}
