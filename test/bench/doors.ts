import type { Peer } from "./bench.ts";
import { type Ask, askOpenAi } from "./streams.ts";
import { peopleCount, type Studio } from "./studio.ts";

/** More than anyone may ask with one key in a minute. */
const ratePerMinute = 10_000;

/** An asker of `/v1` at each call, with the keys of forty people in turn, as programs have them. */
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

/** An asker of the other gateway at each call. */
export function openPeerDoor({ session, providerUrl, model }: Studio, peer: Peer): () => Ask {
  const own = Object.entries(peer.headers).map(([name, value]) => [
    name,
    value.replaceAll("{provider}", providerUrl),
  ]);
  const headers = { authorization: "Bearer none", ...Object.fromEntries(own) };
  return () => askOpenAi({ agent: session.agent, url: peer.url, headers, model: model.modelId });
}
