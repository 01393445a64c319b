import { z } from "zod";

export const docsSchemas = { getOpenApi: { response: z.looseObject({ openapi: z.string() }) } };
