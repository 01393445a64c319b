import { AudioLines, Box, File, Film, Image, type LucideIcon, Type } from "lucide-react";
import type { Modality } from "#contract/tasks.ts";

export const modalityIcons: Record<Modality, LucideIcon> = {
  text: Type,
  image: Image,
  video: Film,
  audio: AudioLines,
  "3d": Box,
  file: File,
};
