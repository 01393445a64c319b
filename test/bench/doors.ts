import type { Peer } from "./bench.ts";
import { type Ask, askOpenAi } from "./streams.ts";
import { peopleCount, type Studio } from "./studio.ts";

/** Above any key's request rate. */
const ratePerMinute = 10_000;

/**
 * Returns an asker of `/v1` for each call, rotating the keys of forty people, like real programs.
 */
export async function openOwnDoor(studio: Studio): Promise<() => Ask> {
  const doors = await Promise.all(
    Array.from({ length: peopleCount }, async () => {
      const { session } = studio.nextPerson();
      const { token } = await session.call("createKey", {
        body: { name: "Bench", projectId: studio.projectId, scopes: ["chat"], ratePerMinute },
      });
      return {
        agent: session.agent,
        url: `${studio.server.url}/v1`,
        headers: { authorization: `Bearer ${token}` },
        model: `fake/${studio.model.modelId}`,
      };
    }),
  );
  let turn = 0;
  return () => askOpenAi(doors[turn++ % doors.length]!);
}

/** Returns an asker of the other gateway for each call. */
export function openPeerDoor({ session, providerUrl, model }: Studio, peer: Peer): () => Ask {
  const own = Object.entries(peer.headers).map(([name, value]) => [
    name,
    value.replaceAll("{provider}", providerUrl),
  ]);
  const headers = { authorization: "Bearer none", ...Object.fromEntries(own) };
  return () => askOpenAi({ agent: session.agent, url: peer.url, headers, model: model.modelId });
}
