import { onTestFinished } from "vitest";
import { parseS3Uri } from "#providers/aws/s3.ts";
import { startS3 } from "../../simulators/s3/s3.ts";
import { startSageMaker } from "../../simulators/sagemaker.ts";

/**
 * A SageMaker with the bucket of its asynchronous endpoints, and a connection to both. Ends with
 * the test.
 */
export async function startSageMakerWithBucket() {
  const s3 = await startS3();
  const sagemaker = await startSageMaker({
    readInput: async (uri) => s3.read(parseS3Uri(uri)?.key ?? ""),
    putOutput: (uri, bytes) => s3.put(parseS3Uri(uri)?.key ?? "", "application/json", bytes),
  });
  onTestFinished(async () => {
    await sagemaker.stop();
    await s3.stop();
  });
  const { accessKeyId, secretAccessKey, region } = sagemaker.keys;
  const endpoints =
    "sim-tgi: tgi, sim-painter: images, sim-anything: json, sim-async-painter: images async";
  const connection = {
    kind: "sagemaker",
    addresses: { api: sagemaker.url, control: sagemaker.url, s3: s3.endpoint, sts: sagemaker.url },
    options: { region, endpoints, asyncBucket: `s3://${s3.bucket}/in` },
    secret: JSON.stringify({ accessKeyId, secretAccessKey }),
  };
  return { sagemaker, s3, connection, origins: [sagemaker.url, s3.endpoint] };
}
