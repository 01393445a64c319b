import { serveTasks } from "../worker-task.ts";
import { designPattern, type PatternSettings } from "./design.ts";
import { paintPicture, paintPreview } from "./paint.ts";

serveTasks<PatternSettings>(async (settings, tell) => {
  const design = designPattern(settings);
  const size = { width: settings.width, height: settings.height };
  const total = design.layers.length;
  const preview = async (longest: number) =>
    tell.part({
      type: "preview",
      mime: "image/webp",
      bytes: await paintPreview(design, size, longest),
    });
  await preview(40);
  tell.part({ type: "progress", done: 0, total, label: "layers" });
  const bytes = await paintPicture(design, size, settings.seed, async (done) => {
    tell.part({ type: "progress", done, total, label: "layers" });
    if (done === total >> 1) await preview(240);
  });
  tell.part({
    type: "file",
    output: {
      name: `${design.kind}-${design.palette}-${settings.seed}.png`,
      mime: "image/png",
      ...size,
      bytes,
    },
  });
  tell.part({ type: "finish", reason: "stop", usage: { units: { images: "1" } }, costMicros: 0 });
});
