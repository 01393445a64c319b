import type { openAiRoutes } from "#contract/routes/doors/openai.ts";
import { scopesOfRoutes } from "#contract/routes/scopes.ts";
import type { ServerDeps } from "../deps.ts";
import { isAnthropicCall } from "../doors/anthropic/errors.ts";
import { getAnthropicModel, listAnthropicModels } from "../doors/anthropic/models.ts";
import { createSpeech, createTranscription } from "../doors/openai/audio.ts";
import { createChatCompletion } from "../doors/openai/chat.ts";
import { createEmbeddings } from "../doors/openai/embeddings.ts";
import { createImages, editImages } from "../doors/openai/images.ts";
import { listInputItems } from "../doors/openai/input-items.ts";
import { createResponse } from "../doors/openai/responses.ts";
import { cancelResponse, deleteResponse, getResponse } from "../doors/openai/stored-responses.ts";
import { toAsking } from "../doors/programs/follow.ts";
import { describeNamed, reachOf } from "../doors/programs/models.ts";
import type { Call, Handlers } from "../gate.ts";

type Name = keyof typeof openAiRoutes;

/** OpenAI's API. The gate has checked the key, its scope and its project. */
export function openAiHandlers(deps: ServerDeps): Handlers<Name> {
  const chat = (call: Call<Name>) => toAsking(call, scopesOfRoutes.createChatCompletion);
  const making = (call: Call<Name>) => toAsking(call, scopesOfRoutes.createImages);
  const reach = ({ actor, scope }: Call<Name>) =>
    reachOf({ actor, projectId: scope.projectId ?? "" });
  return {
    createChatCompletion: (call) => createChatCompletion(deps, chat(call), call.body),
    createResponse: (call) => createResponse(deps, chat(call), call.body),
    getResponse: (call) => getResponse(deps, chat(call), call.params.responseId, call.query),
    listInputItems: (call) => listInputItems(deps, chat(call), call.params.responseId, call.query),
    deleteResponse: (call) => deleteResponse(deps, chat(call), call.params.responseId),
    cancelResponse: (call) => cancelResponse(deps, chat(call), call.params.responseId),
    createImages: (call) => createImages(deps, making(call), call.body),
    editImages: (call) => editImages(deps, making(call), call.body),
    createEmbeddings: (call) => createEmbeddings(deps, making(call), call.body),
    createSpeech: (call) => createSpeech(deps, making(call), call.body),
    createTranscription: (call) => createTranscription(deps, making(call)),
    listOpenAiModels: async (call) => {
      if (isAnthropicCall(call.c))
        return call.c.json(await listAnthropicModels(deps, chat(call), call.query));
      return call.c.body(await deps.lists.writeOpenAiModels(reach(call)), 200, {
        "content-type": "application/json",
      });
    },
    getOpenAiModel: async (call) =>
      call.c.json(
        await (isAnthropicCall(call.c)
          ? getAnthropicModel(deps, chat(call), call.params.model)
          : describeNamed(deps, reach(call), call.params.model)),
      ),
  };
}
