import {
  AudioLines,
  Box,
  Brush,
  Captions,
  Crop,
  Eraser,
  Film,
  Image,
  type LucideIcon,
  Maximize2,
  MessageCircle,
  Music,
  Shapes,
  Waypoints,
  Wrench,
} from "lucide-react";
import { type Task, tasks } from "#contract/tasks.ts";

const icons = {
  "message-circle": MessageCircle,
  image: Image,
  brush: Brush,
  crop: Crop,
  "maximize-2": Maximize2,
  eraser: Eraser,
  film: Film,
  "audio-lines": AudioLines,
  music: Music,
  captions: Captions,
  waypoints: Waypoints,
  box: Box,
  wrench: Wrench,
  shapes: Shapes,
} satisfies Record<(typeof tasks)[Task]["icon"], LucideIcon>;

/** A task's icon, as named in contract/tasks.ts. */
export const taskIcon = (task: Task): LucideIcon => icons[tasks[task].icon];
