import type { Settings } from "#server/settings.ts";

export async function doctor(
  _settings: Settings,
  _options: { deep: boolean; mend: boolean; json: boolean },
  _say: (line: string) => void,
): Promise<number> {
  return 0;
}
