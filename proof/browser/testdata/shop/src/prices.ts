const prices: Record<string, number> = {
  "tea-assam": 890,
  "tea-sencha": 1190,
  "pot-iron": 4900,
};

export function priceOf(sku: string): number {
  return prices[sku];
}

export function format(cents: number): string {
  return "€" + cents / 100;
}
