import {
  AudioLines,
  Box,
  Captions,
  Crop,
  Film,
  Image,
  type LucideIcon,
  MessageCircle,
  Waypoints,
  Wrench,
} from "lucide-react";
import type { Task } from "#contract/tasks.ts";
import type { MessageId } from "../../../messages/t.ts";

type Offer = { icon: LucideIcon; words: MessageId; tasks: readonly Task[] };

/** A service's offerings in fewer words than one per task. */
const offers: readonly Offer[] = [
  { icon: MessageCircle, words: "connections.offer.chat", tasks: ["chat"] },
  { icon: Image, words: "connections.offer.pictures", tasks: ["image", "live"] },
  {
    icon: Crop,
    words: "connections.offer.editing",
    tasks: ["edit", "upscale", "background-removal"],
  },
  { icon: Film, words: "connections.offer.video", tasks: ["video"] },
  { icon: AudioLines, words: "connections.offer.sound", tasks: ["speech", "music"] },
  { icon: Captions, words: "connections.offer.transcripts", tasks: ["transcription"] },
  { icon: Box, words: "connections.offer.3d", tasks: ["3d"] },
  { icon: Waypoints, words: "connections.offer.embeddings", tasks: ["embedding"] },
  { icon: Wrench, words: "connections.offer.tools", tasks: ["tool"] },
];

export const offersOf = (tasks: readonly Task[]): Offer[] =>
  offers.filter((offer) => offer.tasks.some((task) => tasks.includes(task)));
