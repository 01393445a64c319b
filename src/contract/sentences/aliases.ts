/** Names for models of shared connections. */
export const aliases = {
  noCanvas: "A model for the live canvas can’t be in an alias.",
  modelMissing: "This model no longer exists.",
  noAlias: "An alias can’t contain another alias.",
  sharedModelsOnly: "An alias can only contain models of shared connections.",
  modelTwice: ({ model }: { model: string }) => `This alias already contains ${model}.`,
  tooMany: ({ most }: { most: number }) =>
    `There are ${most} aliases already. Delete one before you add another.`,
  nameTaken: ({ alias }: { alias: string }) =>
    `An alias named “${alias}” already exists. Choose another name.`,
  notOffered: "The connection no longer offers this model.",
  oneModel: "An alias for one model.",
  models: ({ count }: { count: number }) =>
    `Tries ${count} models in order. Moves on only if a model definitely did not accept the request.`,
  noneAvailable: ({ alias }: { alias: string }) => `No model of ${alias} is available.`,
};
