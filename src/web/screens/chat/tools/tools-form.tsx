import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import type { ConversationTools, Model } from "#contract/entities.ts";
import { AddModel } from "../../../components/composer/add-model.tsx";
import { isSameModel, shortName } from "../../../data/model-ref.ts";
import { modelQuery } from "../../../data/queries/models.queries.ts";
import { t } from "../../../messages/t.ts";
import { Checkbox } from "../../../ui/controls/checkbox.tsx";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import styles from "../composer/settings-form.module.css";
import { roomOf } from "./conversation-tools.ts";
import { ServersOfTools } from "./server-tools.tsx";
import { useServerTools } from "./use-server-tools.ts";

export type ToolsFormProps = {
  projectId: string;
  tools: ConversationTools;
  canUse: boolean;
  /** A temporary chat has only the library tool, because the others may create files. */
  isTemporary: boolean;
  onChange: (tools: ConversationTools) => void;
};

/** The tools that a conversation's model can use: models, servers' tools and the library. */
export function ToolsForm({ projectId, tools, canUse, isTemporary, onChange }: ToolsFormProps) {
  const change = (models: ConversationTools["models"]) => onChange({ ...tools, models });
  const ofServers = useServerTools(projectId).data ?? [];
  const made = tools.models.filter((tool) => !ofServers.some((known) => isSameModel(known, tool)));
  const add = (model: Model) =>
    change([
      ...tools.models,
      { connectionId: model.connectionId, modelId: model.modelId, allowed: false },
    ]);
  return (
    <fieldset className={styles.tools}>
      <legend className={styles.legend}>{t("chat.tools")}</legend>
      <p className={styles.note}>{t(canUse ? "chat.tools.hint" : "chat.tools.cannot")}</p>
      <Checkbox
        label={t("chat.tools.library")}
        hint={t("chat.tools.library.hint")}
        checked={tools.library}
        onCheckedChange={(library) => onChange({ ...tools, library })}
      />
      {!isTemporary && (
        <>
          <ServersOfTools projectId={projectId} chosen={tools.models} onChange={change} />
          {made.map((tool) => (
            <Tool
              key={`${tool.connectionId} ${tool.modelId}`}
              projectId={projectId}
              tool={tool}
              onAllow={(allowed) =>
                change(
                  tools.models.map((known) =>
                    isSameModel(known, tool) ? { ...known, allowed } : known,
                  ),
                )
              }
              onRemove={() => change(tools.models.filter((known) => !isSameModel(known, tool)))}
            />
          ))}
          {roomOf(tools) > 0 && (
            <div>
              <AddModel
                label={t("chat.tools.add")}
                projectId={projectId}
                added={tools.models}
                task="all"
                keep={isTool}
                onChoose={add}
              />
            </div>
          )}
        </>
      )}
    </fieldset>
  );
}

type ToolProps = {
  projectId: string;
  tool: ConversationTools["models"][number];
  onAllow: (is: boolean) => void;
  onRemove: () => void;
};

function Tool({ projectId, tool, onAllow, onRemove }: ToolProps) {
  const name = useQuery(modelQuery(projectId, tool)).data?.name ?? shortName(tool);
  return (
    <div className={styles.tool}>
      <Checkbox
        label={name}
        hint={t("chat.tools.allowed")}
        checked={tool.allowed}
        onCheckedChange={onAllow}
      />
      <IconButton
        size="small"
        icon={X}
        label={t("chat.tools.remove", { name })}
        onClick={onRemove}
      />
    </div>
  );
}

/** Whether another model can use this one as a tool. */
const isTool = ({ tasks: [first] }: Model): boolean =>
  first !== undefined && !["chat", "embedding", "live", "tool"].includes(first);
