import type openSharp from "sharp";
import type { Sharp } from "sharp";
import { z } from "zod";
import { sentences } from "#contract/sentences/index.ts";

/** A picture to edit, upright: width and height are as seen. `open` starts a new pipeline on it. */
export type Picture = {
  name: string;
  field: string;
  width: number;
  height: number;
  format: string;
  open(): Sharp;
};

export type Format = "png" | "jpeg" | "webp" | "avif";

/**
 * The output of the pipeline. The default format is the first picture's own, if that can be
 * written.
 */
export type EditResult = {
  pipeline: Sharp;
  format?: Format;
  quality?: number;
  background?: string;
};

type OpenSharp = typeof openSharp;

/**
 * An edit as a model: its form and its effect. `apply` throws
 * ProviderError("provider_invalid_input") naming the field.
 */
export type Operation<S extends z.ZodObject = z.ZodObject> = {
  id: string;
  name: string;
  description: string;
  schema: S;
  apply(
    pictures: Picture[],
    settings: z.output<S>,
    sharp: OpenSharp,
  ): Promise<EditResult> | EditResult;
};

/** Keeps one operation's types while the list holds many. */
export const defineOperation = <S extends z.ZodObject>(operation: Operation<S>): Operation =>
  operation as unknown as Operation;

/** The longest side that every format supports (JPEG alone reaches 65,535). */
export const sideMost = 16_383;

export const pixels = (title: string, least = 1, most = sideMost) =>
  z.int().min(least).max(most).meta({ title, description: "In pixels." });

export const color = (title: string, description: string) =>
  z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, sentences.media.colorForm)
    .meta({ title, description, format: "color" });
