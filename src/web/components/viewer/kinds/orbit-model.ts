import {
  Box3,
  type Material,
  Mesh,
  PerspectiveCamera,
  PMREMGenerator,
  Scene,
  Spherical,
  Texture,
  TextureLoader,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { RoomEnvironment } from "three/addons/environments/RoomEnvironment.js";
import { type GLTF, GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

/** A rotatable model. Angles are in radians. */
export type OrbitModel = {
  turn: (around: number, up: number) => void;
  /** Above 1: closer. */
  zoomBy: (factor: number) => void;
  /** Restores the initial view; false if it hadn't changed. */
  reset: () => boolean;
  end: () => void;
};

const fieldOfView = 35;
/** The initial camera angles: slightly from the right and from above. */
const initialAngles = { theta: 0.5, phi: 1.25 };
/** The distance at which the model fills a square, in units of its radius. */
const initialDistance = 1.1 / Math.sin((fieldOfView / 2) * (Math.PI / 180));
/** A higher pixel ratio costs memory without a visible gain. */
const maxPixelRatio = 2;

/**
 * Renders a binary glTF into a frame until it is ended, and only on changes.
 * @throws if the file can't be read, or if the browser has no WebGL
 */
export async function renderOrbitModel(
  frame: HTMLElement,
  bytes: ArrayBuffer,
): Promise<OrbitModel> {
  const { scene: model } = await readModel(bytes);
  const renderer = new WebGLRenderer({ antialias: true, alpha: true });
  const scene = new Scene();
  const light = new PMREMGenerator(renderer).fromScene(new RoomEnvironment(), 0.04).texture;
  scene.environment = light;
  scene.add(model);
  const box = new Box3().setFromObject(model);
  const center = box.getCenter(new Vector3());
  const radius = Math.max(box.getSize(new Vector3()).length() / 2, 1e-6);
  const camera = new PerspectiveCamera(fieldOfView, 1, radius / 100, radius * 100);
  const controls = new OrbitControls(camera, renderer.domElement);
  controls.target.copy(center);
  controls.minDistance = radius / 10;
  controls.maxDistance = radius * 20;
  controls.zoomToCursor = true;

  const place = ({ theta, phi }: typeof initialAngles, distance: number) => {
    const { clientWidth: width, clientHeight: height } = frame;
    // In a narrow frame, the model fills the width.
    const narrow = Math.max(1, height / Math.max(1, width));
    controls.target.copy(center);
    camera.position.setFromSpherical(new Spherical(distance * narrow, phi, theta)).add(center);
    controls.update();
  };
  const draw = () => renderer.render(scene, camera);
  let isFirst = true;
  const resize = () => {
    const { clientWidth: width, clientHeight: height } = frame;
    if (width === 0 || height === 0) return;
    renderer.setPixelRatio(Math.min(devicePixelRatio, maxPixelRatio));
    renderer.setSize(width, height);
    camera.aspect = width / height;
    camera.updateProjectionMatrix();
    if (isFirst) place(initialAngles, radius * initialDistance);
    draw();
  };
  const observer = new ResizeObserver(resize);
  observer.observe(frame);
  frame.append(renderer.domElement);
  resize();
  controls.addEventListener("change", draw);
  controls.addEventListener("start", () => {
    isFirst = false;
  });

  const around = () => new Spherical().setFromVector3(camera.position.clone().sub(controls.target));
  const moveTo = (to: Spherical) => {
    isFirst = false;
    camera.position.setFromSpherical(to.makeSafe()).add(controls.target);
    controls.update();
  };
  return {
    turn(theta, phi) {
      const now = around();
      moveTo(new Spherical(now.radius, now.phi - phi, now.theta + theta));
    },
    zoomBy(factor) {
      const now = around();
      const { minDistance, maxDistance } = controls;
      const distance = Math.min(maxDistance, Math.max(minDistance, now.radius / factor));
      moveTo(new Spherical(distance, now.phi, now.theta));
    },
    reset() {
      if (isFirst) return false;
      isFirst = true;
      place(initialAngles, radius * initialDistance);
      return true;
    },
    end() {
      observer.disconnect();
      controls.dispose();
      forget(model);
      light.dispose();
      renderer.dispose();
      // Browsers allow about sixteen contexts per page, and garbage collection frees them too late.
      renderer.forceContextLoss();
      renderer.domElement.remove();
    },
  };
}

function readModel(bytes: ArrayBuffer): Promise<GLTF> {
  const loader = new GLTFLoader();
  // Loads textures with image elements: the CSP limits fetches to this server, and the textures are
  // blobs inside the file.
  loader.register((parser) => {
    parser.textureLoader = new TextureLoader(parser.options.manager);
    return { name: "textures-by-element" };
  });
  return loader.parseAsync(bytes, "");
}

function forget(model: GLTF["scene"]): void {
  model.traverse((part) => {
    if (!(part instanceof Mesh)) return;
    part.geometry.dispose();
    for (const material of [part.material].flat() as Material[]) {
      for (const value of Object.values(material)) if (value instanceof Texture) value.dispose();
      material.dispose();
    }
  });
}
