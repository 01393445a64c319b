import { ChevronRight } from "lucide-react";
import type { ConversationTools, Model } from "#contract/entities.ts";
import { limits } from "#contract/limits.ts";
import { groupBy } from "../../../data/group-by.ts";
import { isSameModel } from "../../../data/model-ref.ts";
import { t } from "../../../messages/t.ts";
import { Checkbox } from "../../../ui/controls/checkbox.tsx";
import { ErrorState } from "../../../ui/display/error-state.tsx";
import styles from "../composer/settings-form.module.css";
import { useServerTools } from "./use-server-tools.ts";

type Chosen = ConversationTools["models"];

type ServersOfToolsProps = {
  projectId: string;
  chosen: Chosen;
  onChange: (chosen: Chosen) => void;
};

/** Chooses tools, by server. */
export function ServersOfTools({ projectId, chosen, onChange }: ServersOfToolsProps) {
  const found = useServerTools(projectId);
  if (found.isError)
    return <ErrorState compact error={found.error} onRetry={() => void found.refetch()} />;
  const servers = groupBy(found.data ?? [], ({ connectionId }) => connectionId);
  const isFull = chosen.length >= limits.toolsPerConversation;
  return (
    <>
      {[...servers].map(([id, tools]) => (
        <Server key={id} tools={tools} chosen={chosen} isFull={isFull} onChange={onChange} />
      ))}
      {isFull && (
        <p className={styles.note}>{t("chat.tools.full", { most: limits.toolsPerConversation })}</p>
      )}
    </>
  );
}

type ServerProps = {
  tools: readonly Model[];
  chosen: Chosen;
  isFull: boolean;
  onChange: (chosen: Chosen) => void;
};

function Server({ tools, chosen, isFull, onChange }: ServerProps) {
  const of = (tool: Model) => chosen.find((known) => isSameModel(known, tool));
  const count = tools.filter(of).length;
  const without = (tool: Model) => chosen.filter((known) => !isSameModel(known, tool));
  const set = (tool: Model, allowed: boolean) => {
    const { connectionId, modelId } = tool;
    onChange([...without(tool), { connectionId, modelId, allowed }]);
  };
  return (
    <details className={styles.server} open={count > 0 || undefined}>
      <summary>
        <ChevronRight aria-hidden />
        {t("chat.tools.server", {
          name: tools[0]?.connectionName ?? "",
          chosen: count,
          count: tools.length,
        })}
      </summary>
      <ul className={styles.serverTools}>
        {tools.map((tool) => {
          const known = of(tool);
          const reads = tool.capabilities.readOnly === true ? t("chat.tools.reads") : "";
          return (
            <li key={tool.modelId}>
              <Checkbox
                label={tool.name}
                hint={[tool.description.slice(0, 300), reads].filter(Boolean).join(" ")}
                checked={known !== undefined}
                disabled={!known && isFull}
                onCheckedChange={(is) => (is ? set(tool, false) : onChange(without(tool)))}
              />
              {known && (
                <Checkbox
                  className={styles.act}
                  label={t("chat.tools.act")}
                  aria-label={t("chat.tools.act.of", { name: tool.name })}
                  checked={known.allowed}
                  onCheckedChange={(allowed) => set(tool, allowed)}
                />
              )}
            </li>
          );
        })}
      </ul>
    </details>
  );
}
