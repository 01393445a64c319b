import { classes } from "../classes.ts";
import styles from "./avatar.module.css";

export type AvatarProps = {
  name: string;
  /** A picture from our own origin. */
  src?: string | null;
  /** Side in px. */
  size?: number;
  /** People are round, models and projects square. */
  shape?: "round" | "square";
};

/** Decoration beside a name that is written out; where it stands alone its button carries the name. */
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
