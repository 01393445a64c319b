import type { ServerDeps } from "../deps.ts";

/** Reads a leaderboard with the models' scores, and how many votes it counts. */
export async function readRatedModels(
  lists: ServerDeps["lists"],
  of: Parameters<ServerDeps["lists"]["readBoard"]>[0],
) {
  const board = await lists.readBoard(of);
  const ratings = await lists.rate({ size: board.models.length, wins: board.wins });
  const models = board.models
    .map((model, index) => ({ ...model, ...ratings[index]! }))
    .filter(({ games }) => games > 0);
  return { votes: board.votes, models };
}
