import { useEffect, useRef, useState } from "react";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { propertiesOf } from "../../../components/composer/chat-settings.ts";
import { SchemaForm } from "../../../components/schema-form/schema-form.tsx";
import { validateForm } from "../../../components/schema-form/validate-form.ts";
import { t } from "../../../messages/t.ts";
import { TextArea } from "../../../ui/controls/text-area.tsx";
import { SkeletonText } from "../../../ui/display/skeleton.tsx";
import { lazyPart } from "../../../ui/lazy-part.ts";
import { Part } from "../../../ui/part.tsx";
import { toolsOf } from "../tools/conversation-tools.ts";
import { ToolsForm } from "../tools/tools-form.tsx";
import styles from "./settings-form.module.css";

const ShapeForm = lazyPart(
  () => import("../shape/shape-form.tsx").then(({ ShapeForm }) => ShapeForm),
  "shape",
);

const saveAfterMs = 500;

type SettingsFormProps = {
  projectId: string;
  /** False if the chosen model takes no tools. */
  canUseTools: boolean;
  isTemporary: boolean;
  systemPrompt: string;
  settings: Record<string, unknown>;
  modelName: string;
  /** The kind of the chosen model's connection. */
  kind: string | undefined;
  inputSchema: JsonSchema | null | undefined;
  onChange: (change: { systemPrompt?: string; settings?: Record<string, unknown> }) => void;
};

/**
 * System prompt and tools first, the rest folded. Saves after a pause in typing, and when it
 * closes.
 */
export function SettingsForm({
  projectId,
  canUseTools,
  isTemporary,
  systemPrompt,
  settings,
  modelName,
  kind,
  inputSchema,
  onChange,
}: SettingsFormProps) {
  // Holds only the values typed here, because the composer's switches change the same settings.
  const [prompt, setPrompt] = useState(systemPrompt);
  const [typed, setTyped] = useState<JsonObject | null>(null);
  const own = typed ?? (inputSchema ? onlyKnown(settings, inputSchema) : {});
  const save = useRef<() => void>(() => undefined);
  save.current = () => {
    const isPromptChanged =
      prompt !== systemPrompt && prompt.length <= limits.systemPromptCharacters;
    // Invalid values stay in the form, which shows the error.
    const areSettingsChanged =
      inputSchema &&
      typed !== null &&
      Object.keys(validateForm(inputSchema, typed)).length === 0 &&
      JSON.stringify(typed) !== JSON.stringify(onlyKnown(settings, inputSchema));
    if (!isPromptChanged && !areSettingsChanged) return;
    onChange({
      ...(isPromptChanged && { systemPrompt: prompt }),
      ...(areSettingsChanged && {
        settings: { ...withoutKnown(settings, inputSchema), ...typed },
      }),
    });
  };
  useEffect(() => {
    const timer = setTimeout(() => save.current(), saveAfterMs);
    return () => clearTimeout(timer);
  }, [prompt, typed]);
  useEffect(() => () => save.current(), []);
  const isTooLong = prompt.length > limits.systemPromptCharacters;
  return (
    <div className={styles.form}>
      <TextArea
        label={t("chat.system")}
        hint={t("chat.system.hint")}
        error={
          isTooLong
            ? t("composer.tooLong", { count: prompt.length, most: limits.systemPromptCharacters })
            : null
        }
        value={prompt}
        onValueChange={setPrompt}
        minRows={3}
        maxRows={10}
      />
      <ToolsForm
        projectId={projectId}
        tools={toolsOf(settings)}
        canUse={canUseTools}
        isTemporary={isTemporary}
        // Saved immediately, so that a message sent right afterwards uses them.
        onChange={(tools) => onChange({ settings: { ...settings, tools } })}
      />
      {inputSchema && propertiesOf(inputSchema).length > 0 ? (
        <SchemaForm
          schema={inputSchema}
          value={own}
          onValueChange={setTyped}
          placeOf={alwaysFolded}
          foldedTitle={t("chat.settings.more")}
          foldOf="chat"
          renderFile={() => null}
        />
      ) : (
        <p className={styles.note}>{t("chat.settings.none", { name: modelName })}</p>
      )}
      <Part fallback={<SkeletonText lines={1} />}>
        <ShapeForm
          shape={shapeOf(settings)}
          modelName={modelName}
          kind={kind}
          onChange={(shape) => onChange({ settings: withShape(settings, shape) })}
        />
      </Part>
    </div>
  );
}

const alwaysFolded = () => "folded" as const;

const shapeOf = ({ shape }: Record<string, unknown>) =>
  (shape ?? null) as { schema: JsonObject } | null;
const withShape = (
  { shape: _, ...rest }: Record<string, unknown>,
  shape: { schema: JsonObject } | null,
) => (shape ? { ...rest, shape } : rest);

/** Splits off this model's settings; other models' settings stay unchanged. */
const split = (settings: Record<string, unknown>, schema: JsonSchema, isKnown: boolean) => {
  const known = new Set(propertiesOf(schema));
  // Settings are stored as JSON.
  return Object.fromEntries(
    Object.entries(settings).filter(([name]) => known.has(name) === isKnown),
  ) as JsonObject;
};
const onlyKnown = (settings: Record<string, unknown>, schema: JsonSchema) =>
  split(settings, schema, true);
const withoutKnown = (settings: Record<string, unknown>, schema: JsonSchema) =>
  split(settings, schema, false);
