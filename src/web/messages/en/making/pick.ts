/** Messages of the dialog that chooses files from the library. */
export const pick = {
  "pick.title": "Choose from library",
  "pick.search": "Search the library",
  "pick.none": "No files match.",
  "pick.empty": "The library has no files of this kind yet.",
  "pick.more": "Show more",
  "pick.most": "{most, plural, one {# file} other {# files}} at most.",
  "pick.add": "{count, plural, =0 {Add files} one {Add # file} other {Add # files}}",
} as const;
