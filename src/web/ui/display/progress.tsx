import { classes } from "../classes.ts";
import styles from "./progress.module.css";

export type ProgressBarProps = {
  /** The part done, from 0 to 1; null if the total isn't known. */
  value: number | null;
  /** The accessible name of the progress. */
  label: string;
  /** `over` is for use on a picture. */
  tone?: "quiet" | "busy" | "over";
};

const toPercent = (value: number) => Math.round(Math.min(1, Math.max(0, value)) * 100);

export function ProgressBar({ value, label, tone = "quiet" }: ProgressBarProps) {
  const percent = value === null ? undefined : toPercent(value);
  const scale = percent === undefined ? undefined : { transform: `scaleX(${percent / 100})` };
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      className={classes(
        styles.bar,
        tone === "over" && styles.over,
        value === null && styles.unknown,
      )}
    >
      <div className={classes(styles.fill, tone === "busy" && styles.busy)} style={scale} />
    </div>
  );
}

export type ProgressRingProps = {
  value: number | null;
  /** The diameter in px. */
  size?: number;
  /** Left out if adjacent text has the same content. */
  label?: string;
};

export function ProgressRing({ value, size = 15, label }: ProgressRingProps) {
  const radius = 6.2;
  const round = 2 * Math.PI * radius;
  const done = value === null ? 0.3 : toPercent(value) / 100;
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: the role and its value come together
    <svg
      role={label ? "progressbar" : undefined}
      aria-hidden={label ? undefined : true}
      aria-label={label}
      aria-valuenow={label && value !== null ? toPercent(value) : undefined}
      className={classes(styles.ring, value === null && styles.spin)}
      width={size}
      height={size}
      viewBox="0 0 16 16"
    >
      <circle className={styles.ringTrack} cx="8" cy="8" r={radius} />
      <circle
        className={styles.ringFill}
        cx="8"
        cy="8"
        r={radius}
        strokeDasharray={`${round * done} ${round}`}
      />
    </svg>
  );
}
