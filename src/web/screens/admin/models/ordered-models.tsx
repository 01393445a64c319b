import { ArrowDown, ArrowUp, GripVertical, X } from "lucide-react";
import { useState } from "react";
import type { ModelRef } from "#contract/entities.ts";
import { toModelPath } from "../../../data/model-ref.ts";
import { t } from "../../../messages/t.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { VisuallyHidden } from "../../../ui/visually-hidden.tsx";
import styles from "./models-section.module.css";

export type NamedModel = ModelRef & { name: string; connectionName: string };

function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const rest = list.filter((_, index) => index !== from);
  const one = list[from];
  return one === undefined ? [...list] : [...rest.slice(0, to), one, ...rest.slice(to)];
}

type OrderedModelsProps = {
  models: readonly NamedModel[];
  onChange: (models: NamedModel[]) => void;
};

/**
 * An ordered list of models. They can be dragged, or moved with buttons that announce the new
 * position.
 */
export function OrderedModels({ models, onChange }: OrderedModelsProps) {
  const [dragged, setDragged] = useState<number | null>(null);
  const [over, setOver] = useState<number | null>(null);
  const [announcement, setAnnouncement] = useState("");
  const move = (from: number, to: number) => {
    const model = models[from];
    if (!model || from === to || to < 0 || to >= models.length) return;
    onChange(moved(models, from, to));
    setAnnouncement(t("aliases.moved", { name: model.name, place: to + 1, count: models.length }));
  };
  const end = () => {
    setDragged(null);
    setOver(null);
  };
  return (
    <>
      <ol className={styles.behind} aria-label={t("aliases.models")}>
        {models.map((model, index) => (
          <li
            key={toModelPath(model)}
            className={styles.place}
            data-over={over === index || undefined}
            draggable
            onDragStart={(event) => {
              event.dataTransfer.effectAllowed = "move";
              event.dataTransfer.setData("text/plain", model.name);
              setDragged(index);
            }}
            onDragOver={(event) => {
              if (dragged === null) return;
              event.preventDefault();
              setOver(index);
            }}
            onDrop={(event) => {
              event.preventDefault();
              if (dragged !== null) move(dragged, index);
              end();
            }}
            onDragEnd={end}
          >
            <GripVertical aria-hidden size={16} className={styles.grip} />
            <span className={styles.model}>
              {model.name} · {model.connectionName}
            </span>
            <IconButton
              size="small"
              icon={ArrowUp}
              label={t("aliases.up", { name: model.name })}
              disabled={index === 0}
              onClick={() => move(index, index - 1)}
            />
            <IconButton
              size="small"
              icon={ArrowDown}
              label={t("aliases.down", { name: model.name })}
              disabled={index === models.length - 1}
              onClick={() => move(index, index + 1)}
            />
            <IconButton
              size="small"
              icon={X}
              label={t("aliases.take", { name: model.name })}
              onClick={() => onChange(models.filter((_, other) => other !== index))}
            />
          </li>
        ))}
      </ol>
      <VisuallyHidden live="polite">{announcement}</VisuallyHidden>
    </>
  );
}
