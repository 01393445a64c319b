export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };
/** A JSON Schema (2020-12 or draft 7) from a provider or an adapter. */
export type JsonSchema = { [keyword: string]: unknown };
