/** What is said of a model wherever it stands in a list or is chosen: its price and its marks. */
export const modelLines = {
  "models.price.image": "{amount} a picture",
  "models.price.megapixel": "{amount} a megapixel",
  "models.price.second": "{amount} a second",
  "models.price.minute": "{amount} a minute",
  "models.price.computeSecond": "{amount} a second of computing",
  "models.price.run": "{amount} a run",
  "models.price.video": "{amount} a video",
  "models.price.million": "{amount} per million {unit}",
  "models.price.inOut": "{input} in, {output} out per million",
  "models.price.other": "{amount} per {unit}",
  "models.search": "Search models",
  "models.list": "Models",
  "models.new": "new",
  "models.deprecated": "deprecated",
  "models.gone": "gone",
  "models.empty.action": "Add a connection",
} as const;
