import type { RouteName } from "#contract/routes/index.ts";
import type { Bench } from "../bench.ts";
import { type Figure, type Row, ratio } from "../figures.ts";
import { seededName, seedPeople } from "../seed-people.ts";
import { measureByTurns, openStudio, type Studio } from "../studio.ts";

const [few, many] = [100, 10_000];
const maxRatio = 3;

type Query = Record<string, string>;
type Asked = [
  what: string,
  route: RouteName,
  given: (studio: Studio) => { query?: Query; params?: Query },
];

const members = (query: Query) => (studio: Studio) => ({
  params: { projectId: studio.projectId },
  query,
});
const payers = (scope: string) => () => ({ query: { scope } });
const rare = seededName(42);
const pages: Asked[] = [
  ["people", "listPeople", () => ({})],
  ["a project's members", "listMembers", members({})],
  ["people with their budgets", "listPayers", payers("user")],
  ["projects with their budgets", "listPayers", payers("project")],
  ["everyone's keys", "listAllKeys", () => ({})],
];
const searches: Asked[] = [
  ["people searched by a name that one has", "listPeople", () => ({ query: { q: rare } })],
  ["members searched by a name that one has", "listMembers", members({ q: rare })],
  ["keys searched by a name that one has", "listAllKeys", () => ({ query: { q: rare } })],
];

async function measure(bench: Bench): Promise<Figure[]> {
  const studios: Studio[] = [];
  try {
    for (const count of [few, many])
      studios.push(
        await openStudio(bench, {
          provider: { tokens: 1, firstTokenMs: 0, betweenMs: 0 },
          seed: (store, { projectId }) => seedPeople(store, count, projectId),
        }),
      );
    const figures: Figure[] = [];
    for (const [what, route, given] of [...pages, ...searches]) {
      const [small, large] = await measureByTurns(studios, bench.long ? 120 : 40, {
        ask: (studio) => studio.session.call(route, given(studio)),
      });
      figures.push(ratio(`10,000 compared with 100: a page of ${what}`, small!, large!, maxRatio));
    }
    return figures;
  } finally {
    await Promise.all(studios.map((studio) => studio.stop()));
  }
}

export const lists: Row<Bench> = {
  name: "lists",
  what: "CPU time of a page of people, members, payers and keys at 10,000 compared with 100",
  measure,
};
