import { useQueries } from "@tanstack/react-query";
import {
  FileSearch,
  Globe,
  Image,
  ImagePlus,
  LibraryBig,
  type LucideIcon,
  SquareTerminal,
  Wrench,
} from "lucide-react";
import type { ConversationTools, Model, ModelDetail, ModelRef } from "#contract/entities.ts";
import { type ProviderTool, providerTools } from "#contract/filters/provider-tools.ts";
import { limits } from "#contract/limits.ts";
import { tasks } from "#contract/tasks.ts";
import { isFree } from "#domain/money/free.ts";
import { groupBy } from "../../../data/group-by.ts";
import { isSameModel, toModelRef } from "../../../data/model-ref.ts";
import { modelQuery } from "../../../data/queries/models.queries.ts";
import { isRecord, type Slot } from "../../../data/saved/saved-entries.ts";
import { useSaved } from "../../../data/saved/use-saved.ts";
import { formatPrice } from "../../../messages/format.ts";
import { t } from "../../../messages/t.ts";
import { roomOf, toolsOf, withoutTools, withTools } from "../tools/conversation-tools.ts";
import { useServerTools } from "../tools/use-server-tools.ts";
import { usePicturePrice } from "./picture-price.ts";
import { providerToolsOf } from "./provider-switches.ts";
import { usePictureModel } from "./use-picture-model.ts";

/** A tool of the conversation's model, on or off. */
export type ToolSwitch = {
  id: string;
  icon: LucideIcon;
  name: string;
  /** The possible cost, or that it asks first, in a word or two. */
  detail: string | null;
  /** The switch is on and spends money, so its price is always visible. */
  isPaid: boolean;
  /** The detail as a sentence. */
  hint: string;
  isOn: boolean;
  /** The reason that it can't be switched. */
  refusal: string | null;
  toggle: () => void;
};

export type SwitchesProps = {
  projectId: string;
  /** A temporary chat offers only tools that create no files. */
  isTemporary: boolean;
  /** The models of the next answer. */
  models: readonly (Pick<Model, "name" | "capabilities"> & ModelRef)[];
  settings: Record<string, unknown>;
  onSettings: (change: { settings: Record<string, unknown> }) => void;
};

type Remembered = Readonly<Record<string, ModelRef[]>>;

/** A switch's models when it was switched off, by project; switching it on restores them. */
const switchedOff: Slot<Remembered> = {
  kind: "choice",
  name: "tool-switches",
  version: 1,
  empty: {},
  parse: (saved) =>
    isRecord(saved) && Object.values(saved).every(Array.isArray) ? (saved as Remembered) : null,
};

const pictures = "pictures";

/** A conversation's switches. They change the same settings as its tools form. */
export function useSwitches({
  projectId,
  isTemporary,
  models,
  settings,
  onSettings,
}: SwitchesProps): ToolSwitch[] {
  const tools = toolsOf(settings);
  const serverTools = useServerTools(projectId);
  const ofServers = serverTools.data ?? [];
  const remembered = useSaved(switchedOff, projectId);
  const isOfServer = (tool: ModelRef) => ofServers.some((known) => isSameModel(known, tool));
  const details = useQueries({
    queries: tools.models
      .filter((tool) => !isOfServer(tool))
      .map((tool) => modelQuery(projectId, tool)),
  });
  const asked = useQueries({ queries: models.map((model) => modelQuery(projectId, model)) });
  // Until the active tools are known, a click might activate more.
  const isLoading = serverTools.isPending || details.some(({ isPending }) => isPending);
  const chosen = details.flatMap(({ data }) => (data && makesPictures(data) ? [data] : []));
  const before = remembered.value[pictures] ?? [];
  const offered = usePictureModel(projectId, before[0]);

  const [first] = models;
  const cannot =
    first && models.every(({ capabilities }) => capabilities.tools === false)
      ? t("chat.switch.cannot", { name: first.name })
      : null;
  const full =
    roomOf(tools) === 0 ? t("chat.tools.full", { most: limits.toolsPerConversation }) : null;
  const set = (next: ConversationTools) => onSettings({ settings: { ...settings, tools: next } });
  /** Switches tools off and remembers them, or on again. */
  const turn = (id: string, on: readonly ModelRef[], all: readonly ModelRef[]) => {
    if (on.length === 0) return set(withTools(tools, all));
    remembered.change((value) => ({ ...value, [id]: on.map(toModelRef) }));
    set(withoutTools(tools, on));
  };

  const library: ToolSwitch = {
    id: "library",
    icon: LibraryBig,
    name: t("chat.switch.library"),
    detail: null,
    isPaid: false,
    hint: t("chat.switch.library.hint"),
    isOn: tools.library,
    refusal: cannot,
    toggle: () => set({ ...tools, library: !tools.library }),
  };
  const makers = chosen.length > 0 ? chosen : offered ? [offered] : [];
  const priceOfOne = usePicturePrice(makers);
  const picturesSwitch: ToolSwitch = {
    id: pictures,
    icon: ImagePlus,
    name: t("chat.switch.pictures"),
    detail:
      makers.length > 1
        ? t("chat.switch.models", { count: makers.length })
        : makers[0]
          ? priceOfOne(makers[0])
          : null,
    isPaid: chosen.some(({ prices }) => !isFree(prices)),
    hint: makers.map((model) => pictureHint(model, tools, priceOfOne(model))).join(" "),
    isOn: chosen.length > 0,
    refusal:
      cannot ??
      (isLoading
        ? t("ui.loading")
        : chosen.length > 0
          ? null
          : offered
            ? full
            : offered === null
              ? t("chat.switch.none")
              : t("ui.loading")),
    toggle: () =>
      turn(
        pictures,
        chosen,
        // A remembered picture model other than the first may be gone; the server then leaves it
        // out.
        offered && before.some((one) => isSameModel(one, offered))
          ? before
          : offered
            ? [offered]
            : [],
      ),
  };
  const servers = [...groupBy(ofServers, ({ connectionId }) => connectionId)].map(
    ([id, all]): ToolSwitch => {
      const on = all.filter((tool) => tools.models.some((known) => isSameModel(known, tool)));
      const were = (remembered.value[id] ?? []).filter(isOfServer);
      return {
        id,
        icon: Wrench,
        name: all[0]?.connectionName ?? "",
        ...serverText(all, on, tools),
        isPaid: false,
        isOn: on.length > 0,
        refusal: cannot ?? (on.length > 0 ? null : full),
        toggle: () => turn(id, on, were.length > 0 ? were : all),
      };
    },
  );
  const known = asked.flatMap(({ data }) => data ?? []);
  const isOnNow = (tool: ProviderTool) => settings[tool] === true;
  const offers = known.length === models.length ? providerToolsOf(known, isOnNow) : [];
  // Tools that create files aren't available in a temporary chat.
  const allowed = offers.filter(({ tool }) => !isTemporary || !providerTools[tool].makesFiles);
  const ofProvider = allowed.map(({ tool, micros }): ToolSwitch => {
    const isOn = isOnNow(tool);
    const { [tool]: _, ...without } = settings;
    const price = formatPrice(
      micros === null
        ? { kind: "unknown" }
        : micros === 0
          ? { kind: "free" }
          : { kind: "exact", micros },
    );
    return {
      id: tool,
      icon: providerIcons[tool],
      name: t(`chat.switch.${tool}`),
      detail: price,
      isPaid: isOn && micros !== 0,
      hint: t(`chat.switch.${tool}.hint`, { price }),
      isOn,
      refusal: null,
      toggle: () => onSettings({ settings: isOn ? without : { ...settings, [tool]: true } }),
    };
  });
  if (isTemporary) return [library, ...ofProvider];
  return [library, picturesSwitch, ...ofProvider, ...servers];
}

const providerIcons: Readonly<Record<ProviderTool, LucideIcon>> = {
  webSearch: Globe,
  fileSearch: FileSearch,
  codeInterpreter: SquareTerminal,
  imageTool: Image,
};

const makesPictures = ({ tasks: [first] }: Model): boolean =>
  first !== undefined && (tasks[first].outputs as readonly string[]).includes("image");

/** Empty until the price is known. */
function pictureHint(
  model: ModelDetail,
  { models }: ConversationTools,
  price: string | null,
): string {
  const { name } = model;
  if (isFree(model.prices)) return t("chat.switch.pictures.free", { name });
  if (price === null) return "";
  const isAllowed = models.some((tool) => tool.allowed && isSameModel(tool, model));
  return t(isAllowed ? "chat.switch.pictures.allowed" : "chat.switch.pictures.asks", {
    name,
    price,
  });
}

/** Server tools cost nothing here, so only whether they ask is shown. */
function serverText(
  all: readonly Model[],
  on: readonly Model[],
  { models }: ConversationTools,
): Pick<ToolSwitch, "detail" | "hint"> {
  const allowed = on.filter((tool) =>
    models.some((known) => known.allowed && isSameModel(known, tool)),
  ).length;
  const count = on.length || all.length;
  if (allowed > 0)
    return {
      detail: allowed === on.length ? t("chat.switch.asksNot") : null,
      hint: t("chat.switch.server.allowed", { count, allowed }),
    };
  // A manager may trust a server's declaration of its read-only tools.
  const reads = all.some(({ capabilities }) => capabilities.readOnly === true);
  return {
    detail: t("chat.switch.asks"),
    hint: t(reads ? "chat.switch.server.reads" : "chat.switch.server.asks", { count }),
  };
}
