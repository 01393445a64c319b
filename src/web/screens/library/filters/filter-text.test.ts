import { beforeAll, expect, it } from "vitest";
import { loadArea } from "../../../messages/areas.ts";
import { describeRange } from "./filter-text.ts";

beforeAll(() => loadArea("library"));

it("writes a range of costs without a millionth of a dollar", () => {
  const said = ["..0", "1..", "1..10000", "10000..100000", "1000000.."];
  expect(said.map((range) => describeRange("costMicros", range))).toEqual([
    "free",
    "not free",
    "up to $0.01, not free",
    "$0.01 to $0.10",
    "$1.00 or more",
  ]);
});
