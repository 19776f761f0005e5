export function shipping(total: number, country: string): number {
  if (country === "DE") return total >= 5000 ? 0 : 490;
  return 990;
}
