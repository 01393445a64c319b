/** The kinds of input and output of a model. */
export const modalities = ["text", "image", "video", "audio", "3d", "file"] as const;
export type Modality = (typeof modalities)[number];

type TaskFacts = {
  name: string;
  /** The name of a lucide icon. */
  icon: string;
  inputs: readonly Modality[];
  outputs: readonly Modality[];
  /** The object of the main button: "Make 4 pictures". */
  makes: { one: string; many: string };
};

/** Every task that a model can do. A new one is added here and in web/components/output/. */
export const tasks = {
  chat: {
    name: "Chat",
    icon: "message-circle",
    inputs: ["text", "image", "file"],
    outputs: ["text"],
    makes: { one: "answer", many: "answers" },
  },
  image: {
    name: "Picture",
    icon: "image",
    inputs: ["text", "image"],
    outputs: ["image"],
    makes: { one: "picture", many: "pictures" },
  },
  edit: {
    name: "Edit",
    icon: "crop",
    inputs: ["image"],
    outputs: ["image"],
    makes: { one: "picture", many: "pictures" },
  },
  upscale: {
    name: "Upscale",
    icon: "maximize-2",
    inputs: ["image"],
    outputs: ["image"],
    makes: { one: "picture", many: "pictures" },
  },
  "background-removal": {
    name: "Remove background",
    icon: "eraser",
    inputs: ["image"],
    outputs: ["image"],
    makes: { one: "picture", many: "pictures" },
  },
  live: {
    name: "Live canvas",
    icon: "brush",
    inputs: ["text", "image"],
    outputs: ["image"],
    makes: { one: "frame", many: "frames" },
  },
  video: {
    name: "Video",
    icon: "film",
    inputs: ["text", "image", "video"],
    outputs: ["video"],
    makes: { one: "video", many: "videos" },
  },
  speech: {
    name: "Speech",
    icon: "audio-lines",
    inputs: ["text"],
    outputs: ["audio"],
    makes: { one: "recording", many: "recordings" },
  },
  music: {
    name: "Music",
    icon: "music",
    inputs: ["text"],
    outputs: ["audio"],
    makes: { one: "track", many: "tracks" },
  },
  transcription: {
    name: "Transcription",
    icon: "captions",
    inputs: ["audio", "video"],
    outputs: ["text"],
    makes: { one: "transcript", many: "transcripts" },
  },
  embedding: {
    name: "Embedding",
    icon: "waypoints",
    inputs: ["text"],
    outputs: ["file"],
    makes: { one: "embedding", many: "embeddings" },
  },
  "3d": {
    name: "3D model",
    icon: "box",
    inputs: ["text", "image"],
    outputs: ["3d"],
    makes: { one: "model", many: "models" },
  },
  /** A tool of a server, offered to the models of a conversation. */
  tool: {
    name: "Tool",
    icon: "wrench",
    inputs: ["text"],
    outputs: ["text", "file"],
    makes: { one: "result", many: "results" },
  },
  other: {
    name: "Other",
    icon: "shapes",
    inputs: ["text", "image", "video", "audio"],
    outputs: ["file"],
    makes: { one: "result", many: "results" },
  },
} as const satisfies Record<string, TaskFacts>;

export type Task = keyof typeof tasks;
export const taskNames = Object.keys(tasks) as [Task, ...Task[]];

/** Tasks with short, small requests, which have slots of their own on a connection. */
export const textTasks = ["chat", "embedding", "tool"] as const satisfies Task[];

/**
 * Whether a form starts the task's runs. Chats and tools belong to conversations, and a live model
 * to its canvas.
 */
export const isMadeByForm = (task: Task): boolean =>
  task !== "chat" && task !== "live" && task !== "tool";

/**
 * Tasks that return only text. A person retries a lost answer, and the provider can't look it up:
 * such a run fails, while one that makes a file stays unconfirmed.
 */
export const returnsNoFile = (task: Task): boolean =>
  task === "chat" || task === "embedding" || task === "tool";
