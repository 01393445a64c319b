import type { HTMLAttributes } from "react";
import { classes } from "../classes.ts";
import styles from "./card.module.css";

export type CardProps = HTMLAttributes<HTMLElement> & {
  as?: "div" | "article" | "section" | "li";
};

/** A bordered box; `className` lays out its content. */
export const Card = ({ as: Element = "div", className, ...props }: CardProps) => (
  <Element {...props} className={classes(styles.card, className)} />
);
