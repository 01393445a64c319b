import { SkeletonText } from "../../ui/display/skeleton.tsx";
import { lazyPart } from "../../ui/lazy-part.ts";
import { Part } from "../../ui/part.tsx";
import type { ModelListProps } from "./model-list.tsx";
import styles from "./model-picker.module.css";

const ModelList = lazyPart(() => import("./model-list.tsx").then(({ ModelList }) => ModelList));

/** The list of models in a popover. It loads when it is opened. */
export const LazyModelList = (props: ModelListProps) => (
  <Part
    fallback={
      <div className={styles.loading} aria-busy="true">
        <SkeletonText lines={5} />
      </div>
    }
  >
    <ModelList {...props} />
  </Part>
);
