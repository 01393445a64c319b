import type { HTMLAttributes } from "react";
import { classes } from "../classes.ts";
import styles from "./card.module.css";

export type CardProps = HTMLAttributes<HTMLElement> & {
  /** Marks one of several cards: its acts are in the palette while the person is in it. */
  "data-row"?: boolean;
  as?: "div" | "article" | "section" | "li";
};

/** A bordered box; `className` lays out its contents. */
export const Card = ({ as: Element = "div", className, ...props }: CardProps) => (
  <Element {...props} className={classes(styles.card, className)} />
);
