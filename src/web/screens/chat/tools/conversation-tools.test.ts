import { expect, it } from "vitest";
import { limits } from "#contract/limits.ts";
import { toolsOf, withoutTools, withTools } from "./conversation-tools.ts";

const tool = (modelId: string) => ({ connectionId: "notebook", modelId });
const chosen = (modelId: string, allowed = false) => ({ ...tool(modelId), allowed });
const idsOf = ({ models }: { models: { modelId: string }[] }) =>
  models.map(({ modelId }) => modelId);

it("a tool that is switched on asks first, and an allowed one stays allowed", () => {
  const before = { library: true, models: [chosen("add", true)] };
  expect(withTools(before, [tool("add"), tool("list")])).toEqual({
    library: true,
    models: [chosen("add", true), chosen("list")],
  });
});

it("no more tools are switched on than the limit of a conversation", () => {
  const most = limits.toolsPerConversation;
  const many = Array.from({ length: most + 8 }, (_, place) => tool(`tool-${place}`));
  const before = { library: false, models: [chosen("first")] };
  const after = withTools(before, many);
  expect(after.models).toHaveLength(most);
  expect(idsOf(after)[0]).toBe("first");
});

it("switching off removes only these tools", () => {
  const before = { library: true, models: [chosen("add"), chosen("picture", true)] };
  expect(withoutTools(before, [tool("add"), tool("gone")])).toEqual({
    library: true,
    models: [chosen("picture", true)],
  });
});

it("settings without tools have none", () => {
  expect(toolsOf({})).toEqual({ models: [], library: false });
  expect(toolsOf({ tools: { models: "broken", library: 1 } })).toEqual({
    models: [],
    library: false,
  });
});
