import type { AnswerPart, RunContext, RunRequest } from "../../adapter.ts";
import { addressOf, signInToBedrock } from "./access.ts";
import { classify } from "./errors.ts";

/**
 * Embeds texts, in the client's formats for Titan and Cohere.
 * @throws ProviderError, or the signal's reason
 */
export async function* answerText(
  request: RunRequest,
  unsigned: RunContext,
): AsyncGenerator<AnswerPart> {
  const [{ createAmazonBedrock }, { createSdkCall }, { answerEmbedding }] = await Promise.all([
    import("@ai-sdk/amazon-bedrock"),
    import("../../ai-sdk/sdk-call.ts"),
    import("../../ai-sdk/media.ts"),
  ]);
  const { context, region } = await signInToBedrock(unsigned);
  const call = createSdkCall(context, classify);
  const provider = createAmazonBedrock({
    region,
    baseURL: addressOf(context, "api"),
    apiKey: "signed-by-our-fetch",
    fetch: call.fetch,
  });
  yield* answerEmbedding({
    call,
    model: provider.embeddingModel(request.model.id),
    request,
    context,
  });
}
