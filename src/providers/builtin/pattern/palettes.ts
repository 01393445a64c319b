/** Six tones from dark to light and an accent. */
export type Palette = {
  ink: string;
  deep: string;
  mid: string;
  soft: string;
  light: string;
  paper: string;
  accent: string;
};

const tones = (list: string): Palette => {
  const [ink, deep, mid, soft, light, paper, accent] = list.split(" ") as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  return { ink, deep, mid, soft, light, paper, accent };
};

export const palettes = {
  dusk: tones("#1b2536 #38536b #8a7a86 #d98a66 #f2c59a #faeedd #c8553d"),
  ocean: tones("#10233c #1f4e79 #4b8bb0 #8fc1cf #d6e2d6 #f6f1e3 #e5a75b"),
  forest: tones("#16241f #2f4f40 #5f8467 #9fb98c #dccf9f #f5efdd #c9713d"),
  autumn: tones("#2b1810 #6b3320 #a9542b #d58a3c #ecc27a #f8eedc #6f7f4a"),
  rose: tones("#2c1a28 #6b3450 #b5566b #e08f8a #f3c6b0 #fbeee4 #3f6f6d"),
  night: tones("#0b1020 #1a2646 #34477c #6473ab #aaa8cc #e8e3ee #f2c879"),
  mono: tones("#1d1e20 #45474b #76797d #a6a6a3 #d3cfc7 #f3f0e9 #2c2d30"),
  desert: tones("#33190f #7d3b25 #b9683f #dd9f6b #eed0a4 #faf1e0 #3e7a86"),
  mint: tones("#12312f #2a6a64 #62a594 #a9d2b6 #e1e6c8 #f7f5e8 #e3705a"),
  meadow: tones("#25331b #52702f #8ea044 #cfc05a #efe3a0 #fbf7e3 #cf5a78"),
  plum: tones("#1f1633 #43306b #7a5aa0 #b38fc0 #e3c8d8 #f8f0f1 #e59a52"),
  ember: tones("#1c0f12 #5a1c22 #a8322c #dd6b37 #f3b45c #fdebcd #2d4a57"),
  harbour: tones("#13283a #24506b #4c7f86 #8db0a0 #e6d0a1 #f6eedd #d0673c"),
  ice: tones("#1a2c3c #456a86 #86abc2 #bcd5e0 #e2edf0 #f8fafa #d98f7c"),
} as const satisfies Record<string, Palette>;

export type PaletteName = keyof typeof palettes;
export const paletteNames = Object.keys(palettes) as [PaletteName, ...PaletteName[]];
