import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "./random.ts";
import type { SoakStudio } from "./studio.ts";

export type Harm = { kills: number; stops: number; freezes: number };

/**
 * Longer than the session lock and a dead worker's heartbeats allow, so that another server takes
 * over.
 */
const freezeMs = 42_000;

/** Kills, stops and freezes servers until it is aborted; at its end all are running again. */
export async function harm(studio: SoakStudio, random: Random, signal: AbortSignal): Promise<Harm> {
  const done: Harm = { kills: 0, stops: 0, freezes: 0 };
  const pause = (ms: number): Promise<void> =>
    sleep(ms, undefined, { signal }).catch(() => undefined);
  for (let turn = 1; !signal.aborted; turn++) {
    await pause(random.whole(3_000, 12_000));
    if (signal.aborted) break;
    const place = random.whole(0, studio.servers.length - 1);
    const server = studio.servers[place];
    if (!server) continue;
    if (studio.servers.length > 1 && turn % 6 === 0) {
      server.child.kill("SIGSTOP");
      // Requests to it would hang, so a balancer takes it out.
      studio.servers[place] = undefined;
      await pause(freezeMs);
      server.child.kill("SIGCONT");
      studio.servers[place] = server;
      done.freezes++;
      continue;
    }
    studio.servers[place] = undefined;
    if (random.chance(0.75)) {
      await server.kill9();
      done.kills++;
    } else {
      await server.stop();
      done.stops++;
    }
    await pause(random.whole(0, 1_500));
    await studio.revive(place);
  }
  return done;
}
