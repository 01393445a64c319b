import type { Model } from "#contract/entities.ts";
import { readUnit, type Unit } from "#contract/units.ts";
import { formatMoney } from "../../messages/format.ts";
import { type MessageId, t } from "../../messages/t.ts";

const words: Partial<Record<Unit, MessageId>> = {
  image: "models.price.image",
  megapixel: "models.price.megapixel",
  second: "models.price.second",
  minute: "models.price.minute",
  "compute second": "models.price.computeSecond",
  "1000 character": "models.price.character",
  run: "models.price.run",
  request: "models.price.run",
  generation: "models.price.run",
  video: "models.price.video",
};
const million = 1_000_000;

/**
 * A model's price in a few words: "free", "$0.025 a megapixel", "$0.15 per million input tokens",
 * "price unknown".
 */
export function priceText(price: Model["price"]): string {
  if (!price) return t("money.unknown");
  const micros = Number(price.micros);
  if (micros === 0) return t("money.free");
  const unit = readUnit(price.unit);
  const known = unit && words[unit];
  if (known) return t(known, { amount: formatMoney(micros) });
  if (/tokens?$/.test(price.unit)) {
    const plural = price.unit.endsWith("s") ? price.unit : `${price.unit}s`;
    return t("models.price.million", { amount: formatMoney(micros * million), unit: plural });
  }
  return t("models.price.other", { amount: formatMoney(micros), unit: price.unit });
}

/** All of a model's prices in one short line: "$3.00 in, $15.00 out" per million tokens. */
export function pricesText(prices: Model["prices"]): string {
  const [first = null, ...others] = prices;
  const perMillion = (unit: string) => {
    const price = prices.find((one) => one.unit === unit);
    return price && formatMoney(Number(price.micros) * million);
  };
  const [input, output] = [perMillion("input token"), perMillion("output token")];
  if (
    others.length > 0 &&
    input !== undefined &&
    output !== undefined &&
    prices.some(({ micros }) => Number(micros) > 0)
  )
    return t("models.price.inOut", { input, output });
  return priceText(first);
}
