import { OptionalPart } from "../../ui/part.tsx";
import { ContextMeter } from "./lazy-context.ts";
import { NextPrice } from "./next-price.tsx";
import type { EstimateProps } from "./use-estimate.ts";

/** What the next answer takes of the context, and what it will cost. */
export function ComposerFoot(props: EstimateProps) {
  return (
    <>
      {props.conversationId !== undefined && (
        <OptionalPart>
          <ContextMeter {...props} />
        </OptionalPart>
      )}
      <NextPrice {...props} />
    </>
  );
}
