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
import { ToolsForm, toolsOf } from "../tools/tools-form.tsx";
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
  systemPrompt: string;
  settings: Record<string, unknown>;
  modelName: string;
  /** The kind of the chosen model's connection. */
  kind: string | undefined;
  inputSchema: JsonSchema | null | undefined;
  onChange: (change: { systemPrompt?: string; settings?: Record<string, unknown> }) => void;
};

/** Saves after a pause in typing, and when it closes. */
export function SettingsForm({
  projectId,
  canUseTools,
  systemPrompt,
  settings,
  modelName,
  kind,
  inputSchema,
  onChange,
}: SettingsFormProps) {
  const [typed, setTyped] = useState({ systemPrompt, settings });
  const save = useRef<() => void>(() => undefined);
  save.current = () => {
    const isPromptChanged =
      typed.systemPrompt !== systemPrompt &&
      typed.systemPrompt.length <= limits.systemPromptCharacters;
    // Invalid values stay in the form, which shows the error.
    const isValid =
      !inputSchema ||
      Object.keys(validateForm(inputSchema, onlyKnown(typed.settings, inputSchema))).length === 0;
    const areSettingsChanged =
      isValid &&
      typed.settings !== settings &&
      JSON.stringify(typed.settings) !== JSON.stringify(settings);
    if (!isPromptChanged && !areSettingsChanged) return;
    onChange({
      ...(isPromptChanged && { systemPrompt: typed.systemPrompt }),
      ...(areSettingsChanged && { settings: typed.settings }),
    });
  };
  useEffect(() => {
    const timer = setTimeout(() => save.current(), saveAfterMs);
    return () => clearTimeout(timer);
  }, [typed]);
  useEffect(() => () => save.current(), []);
  const isTooLong = typed.systemPrompt.length > limits.systemPromptCharacters;
  return (
    <div className={styles.form}>
      <TextArea
        label={t("chat.system")}
        hint={t("chat.system.hint")}
        error={
          isTooLong
            ? t("composer.tooLong", {
                count: typed.systemPrompt.length,
                most: limits.systemPromptCharacters,
              })
            : null
        }
        value={typed.systemPrompt}
        onValueChange={(value) => setTyped((before) => ({ ...before, systemPrompt: value }))}
        minRows={3}
        maxRows={10}
      />
      {inputSchema && propertiesOf(inputSchema).length > 0 ? (
        <SchemaForm
          schema={inputSchema}
          value={onlyKnown(typed.settings, inputSchema)}
          onValueChange={(value) =>
            setTyped((before) => ({
              ...before,
              settings: { ...withoutKnown(before.settings, inputSchema), ...value },
            }))
          }
          renderFile={() => null}
        />
      ) : (
        <p className={styles.note}>{t("chat.settings.none", { name: modelName })}</p>
      )}
      <ToolsForm
        projectId={projectId}
        tools={toolsOf(typed.settings)}
        canUse={canUseTools}
        onChange={(tools) => {
          setTyped((before) => ({ ...before, settings: { ...before.settings, tools } }));
          // Saved at once, so that a message sent right after uses them.
          onChange({ settings: { ...settings, tools } });
        }}
      />
      <Part fallback={<SkeletonText lines={3} />}>
        <ShapeForm
          shape={shapeOf(typed.settings)}
          modelName={modelName}
          kind={kind}
          onChange={(shape) => {
            setTyped((before) => ({ ...before, settings: withShape(before.settings, shape) }));
            onChange({ settings: withShape(settings, shape) });
          }}
        />
      </Part>
    </div>
  );
}

const shapeOf = ({ shape }: Record<string, unknown>) =>
  (shape ?? null) as { schema: JsonObject } | null;
const withShape = (
  { shape: _, ...rest }: Record<string, unknown>,
  shape: { schema: JsonObject } | null,
) => (shape ? { ...rest, shape } : rest);

/** Separates the settings of this model; those of other models stay untouched. */
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
