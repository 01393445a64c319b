import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";
import type { io } from "@tensorflow/tfjs-core";

const require = createRequire(import.meta.url);

/**
 * Takes 8-bit RGB and returns 8-bit RGB of twice the width and height; sizes are in pixels of the
 * source.
 */
export type Doubler = {
  double(rgb: Uint8Array, width: number, height: number): Promise<Uint8Array>;
};

/**
 * ESRGAN "slim" (a residual dense network trained on DIV2K, MIT) on WebAssembly. Weights and wasm
 * come from node_modules, never from the network. It uses one thread, so that sums have a fixed
 * order and the same picture gives the same bytes.
 */
export async function loadDoubler(): Promise<Doubler> {
  const [tf, layers, wasm] = await Promise.all([
    import("@tensorflow/tfjs-core"),
    import("@tensorflow/tfjs-layers"),
    import("@tensorflow/tfjs-backend-wasm"),
  ]);
  tf.env().set("WASM_HAS_MULTITHREAD_SUPPORT", false);
  wasm.setWasmPaths(dirname(require.resolve("@tensorflow/tfjs-backend-wasm")) + sep);
  await tf.setBackend("wasm");
  await tf.ready();
  const model = await layers.loadLayersModel({ load: readWeights });
  return {
    async double(rgb, width, height) {
      const output = tf.tidy(() => {
        const input = tf.tensor(Float32Array.from(rgb), [1, height, width, 3]);
        const doubled = model.predict(input);
        if (Array.isArray(doubled)) throw new Error("The network has one output.");
        return tf.clipByValue(doubled, 0, 255);
      });
      try {
        const values = await output.data();
        return Uint8Array.from(values, (value) => Math.round(value));
      } finally {
        output.dispose();
      }
    },
  };
}

async function readWeights(): Promise<io.ModelArtifacts> {
  const folder = join(packageFolder("@upscalerjs/default-model"), "models");
  const description: io.ModelJSON = JSON.parse(await readFile(join(folder, "model.json"), "utf8"));
  const files = description.weightsManifest.flatMap((group) => group.paths);
  const bytes = Buffer.concat(await Promise.all(files.map((file) => readFile(join(folder, file)))));
  const weightData = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  return {
    modelTopology: description.modelTopology,
    weightSpecs: description.weightsManifest.flatMap((group) => group.weights),
    weightData,
  };
}

/** The package exports only code, so its folder is derived from the path of that code. */
function packageFolder(name: string): string {
  const entry = require.resolve(name);
  const mark = `${sep}node_modules${sep}${name.replaceAll("/", sep)}`;
  return entry.slice(0, entry.lastIndexOf(mark) + mark.length);
}
