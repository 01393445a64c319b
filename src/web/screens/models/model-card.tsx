import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Model } from "#contract/entities.ts";
import { ModelMarks } from "../../components/model/model-marks.tsx";
import { ModelModalities } from "../../components/model/model-modalities.tsx";
import { pricesText } from "../../components/model/price-text.ts";
import { toModelPath } from "../../data/model-ref.ts";
import { Card } from "../../ui/display/card.tsx";
import { StarButton } from "./star-button.tsx";
import styles from "./used-models.module.css";

type ModelCardProps = {
  model: Model;
  /** The pictures at the top. */
  face: ReactNode;
  /** The model's usual time in this project. */
  time: ReactNode;
  /** Selects the model to be tried with others. */
  choice: ReactNode;
  heading: "h2" | "h3";
};

/** A model in the gallery: its pictures, price, time, and the inputs that it accepts. */
export const ModelCard = ({ model, face, time, choice, heading: Heading }: ModelCardProps) => (
  <Card as="li" data-row className={styles.card}>
    {face}
    <div className={styles.words}>
      <Heading className={styles.name}>
        <ModelLink model={model}>{model.name}</ModelLink>
        <ModelMarks model={model} />
      </Heading>
      <span className={styles.marks}>
        {choice}
        <StarButton model={model} />
      </span>
    </div>
    <p className={styles.from}>{model.connectionName}</p>
    <p className={styles.facts}>
      <span>{pricesText(model.prices)}</span>
      {time}
    </p>
    <div className={styles.takes}>
      <ModelModalities model={model} />
    </div>
  </Card>
);

type ModelLinkProps = { model: Model; className?: string; children: ReactNode };

export const ModelLink = ({ model, ...rest }: ModelLinkProps) => (
  <Link
    {...rest}
    to="/models/$"
    params={{ _splat: toModelPath(model) }}
    search={(before) => before}
  />
);
