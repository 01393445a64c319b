import { classes } from "../classes.ts";
import styles from "./avatar.module.css";

export type AvatarProps = {
  name: string;
  /** A picture from this origin. */
  src?: string | null;
  /** The side length in px. */
  size?: number;
  /** People are round, models and projects square. */
  shape?: "round" | "square";
};

/** Decorative next to a written name. On its own, the button around it needs the name. */
export function Avatar({ name, src, size = 28, shape = "round" }: AvatarProps) {
  const letter = [...name.trim()][0]?.toUpperCase() ?? "?";
  return (
    <span
      aria-hidden
      className={classes(styles.avatar, shape === "square" && styles.square)}
      style={{
        width: size,
        height: size,
        fontSize: Math.round(size * (shape === "square" ? 0.5 : 0.43)),
      }}
    >
      {src ? <img src={src} alt="" /> : letter}
    </span>
  );
}
