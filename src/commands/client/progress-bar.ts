type Screen = { isTTY?: boolean; columns?: number; write(text: string): unknown };

const barCharacters = 24;

/** A progress line that is overwritten, only on a terminal, because it is useless in a file. */
export function createProgressBar(screen: Screen) {
  let isShown = false;
  const draw = (line: string): void => {
    if (!screen.isTTY) return;
    screen.write(`\r\u001b[2K${line.slice(0, (screen.columns ?? 80) - 1)}`);
    isShown = true;
  };
  return {
    say: (label: string) => draw(label),
    /** @param share the part done, from 0 to 1 */
    show(share: number, label: string): void {
      const full = Math.round(Math.min(1, Math.max(0, share)) * barCharacters);
      draw(
        `[${"#".repeat(full)}${"-".repeat(barCharacters - full)}] ${Math.round(share * 100)} % ${label}`,
      );
    },
    clear(): void {
      if (isShown) screen.write("\r\u001b[2K");
      isShown = false;
    },
  };
}
export type ProgressBar = ReturnType<typeof createProgressBar>;
