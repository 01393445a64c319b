import { NextPrice } from "../../../components/composer/next-price.tsx";
import type { EstimateProps } from "../../../components/composer/use-estimate.ts";
import { OptionalPart } from "../../../ui/part.tsx";
import { ContextMeter } from "../context/lazy-context.ts";

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
