import { createRandom } from "../../soak/random.ts";
import {
  closedAfterIt,
  doubled,
  emptied,
  endings,
  foreignStatus,
  labeled,
  otherObject,
  ownStatus,
  resetAfterIt,
  resetBeforeIt,
  shapes,
  tornAt,
  tornAtEdge,
  tornAtShare,
} from "./faults.ts";
import type { Asked, Fault } from "./proxy.ts";
import type { TornWay } from "./way.ts";
import type { Fate, Plan } from "./world.ts";

export type PlanOf = Plan & {
  /** Problems specific to this plan, in addition to those checked for every run. */
  expects?(fate: Fate): string[];
};

const first = (fault: Fault): PlanOf => ({
  name: fault.name,
  faultOf: (kind, number) => (kind === "paid" && number === 0 ? fault : undefined),
});
const always = (fault: Fault): PlanOf => ({
  name: `${fault.name}, for ever`,
  faultOf: (kind) => (kind === "paid" ? fault : undefined),
});
const expecting = (state: string, plan: PlanOf): PlanOf => ({
  ...plan,
  expects: ({ run }) =>
    run.state === state
      ? []
      : [`it is ${run.state} (${run.error?.code}: ${run.error?.message}) and not ${state}`],
});

/** Every fault of the paid request, and for a job also those of its polls. */
export function plansOf(way: TornWay): PlanOf[] {
  const { ownError } = way;
  if (way.isTwin) return twinOf(way);
  if (way.cuts !== undefined) return fewOf(way);
  const refusals = [400, 401, 403, 404, 422].map((status) =>
    expecting("failed", first(ownStatus(status, ownError))),
  );
  const others = shapes.flatMap((shape) => [
    expecting("failed", first(foreignStatus(404, shape, true))),
    first(foreignStatus(502, shape)),
    first(foreignStatus(503, shape)),
  ]);
  return [
    // A wrong content type doesn't make an answer unreadable.
    ...["text/html", "text/plain", "application/octet-stream", null].map((type) =>
      expecting("succeeded", first(labeled(type))),
    ),
    first(emptied),
    // Its first half is the whole answer.
    way.goes === "job" && way.adapter.job?.idField
      ? expecting("succeeded", first(doubled))
      : first(doubled),
    first(otherObject({})),
    first(otherObject({ message: "Service is warming up" })),
    first(resetAfterIt),
    first(closedAfterIt),
    first(resetBeforeIt),
    ...refusals,
    ...others,
    first(foreignStatus(500, "a gateway's JSON")),
    first(foreignStatus(524, "HTML")),
    first(ownStatus(500, ownError)),
    first(ownStatus(429, ownError, { "retry-after": "1" })),
    ...[400, 401, 404].map((status) => expecting("failed", always(ownStatus(status, ownError)))),
    always(ownStatus(500, ownError)),
    ...shapes.map((shape) => always(foreignStatus(502, shape, true))),
    ...(way.goes === "job" ? questionsOf(way) : []),
  ];
}

/** The polls at one address that meet the fault, so that repeated polls are answered. */
const met: ReadonlySet<number> = new Set([0, 2, 5]);
const somewhere = (
  fault: Fault,
  isMeant: (asked: Asked) => boolean = () => true,
  numbers = met,
): PlanOf =>
  expecting("succeeded", {
    name: `questions: ${fault.name}`,
    faultOf: (kind, number, asked) =>
      kind === "question" && numbers.has(number) && isMeant(asked) ? fault : undefined,
  });

const random = createRandom(20_261_122);
/** The most frames that a provider sends about a job: those of fal's status stream. */
const maxFrames = 4;
const questions: readonly PlanOf[] = [
  tornAt(0, "clean"),
  tornAt(7, "reset"),
  tornAt(20, "closed"),
  ...Array.from({ length: 8 }, (_, index) =>
    tornAtShare(random.share(), endings[index % endings.length]!),
  ),
  ...Array.from({ length: maxFrames }, (_, index) =>
    tornAtEdge(index, endings[index % endings.length]!),
  ),
  resetAfterIt,
  emptied,
  doubled,
  otherObject({}),
  otherObject({ message: "Service is warming up" }),
  labeled("text/html"),
  labeled(null),
  ...shapes.flatMap((shape) => [404, 502].map((status) => foreignStatus(status, shape))),
].map((fault) => somewhere(fault));

/** In place of a result, a refusal may be the provider's way to report a failed job. */
function questionsOf({ ownError, isResult = () => false }: TornWay): PlanOf[] {
  const refusals = [400, 404, 409, 422, 500].map((status) =>
    somewhere(ownStatus(status, ownError), (asked) => !isResult(asked)),
  );
  return [
    ...questions,
    ...[401, 403, 429].map((status) => somewhere(ownStatus(status, ownError))),
    ...refusals,
  ];
}

const twinOf = ({ goes, ownError }: TornWay): PlanOf[] => [
  first(tornAtShare(0.5, "reset")),
  expecting("failed", first(ownStatus(404, ownError))),
  ...(goes === "job" ? [somewhere(tornAtShare(0.5, "clean"), undefined, new Set([0]))] : []),
];

const fewOf = ({ ownError }: TornWay): PlanOf[] => [
  expecting("succeeded", first(labeled("text/html"))),
  first(emptied),
  first(resetAfterIt),
  expecting("failed", first(ownStatus(404, ownError))),
  first(foreignStatus(502, "HTML")),
  first(ownStatus(500, ownError)),
];
