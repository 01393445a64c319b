/** Messages about a model's price, and the link to add a connection. */
export const modelLines = {
  "models.price.image": "{amount} a picture",
  "models.price.megapixel": "{amount} a megapixel",
  "models.price.second": "{amount} a second",
  "models.price.minute": "{amount} a minute",
  "models.price.computeSecond": "{amount} a compute second",
  "models.price.character": "{amount} per 1,000 characters",
  "models.price.run": "{amount} a run",
  "models.price.video": "{amount} a video",
  "models.price.million": "{amount} per million {unit}",
  "models.price.inOut": "{input} in, {output} out per million",
  "models.price.other": "{amount} per {unit}",
  "models.empty.action": "Add connection",
} as const;
