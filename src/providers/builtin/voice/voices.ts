/**
 * The module's voices that can speak any text. ("awb_time" only knows the time of day; "kal" is
 * "kal16" at 8 kHz.)
 */
export const voices = {
  slt: "US English, woman",
  rms: "US English, man",
  awb: "Scottish English, man",
  kal16: "US English, man, robotic",
} as const;
export type VoiceName = keyof typeof voices;
export const voiceNames = Object.keys(voices) as [VoiceName, ...VoiceName[]];
