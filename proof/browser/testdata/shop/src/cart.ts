import { priceOf } from "./prices";

export interface Line {
  sku: string;
  quantity: number;
}

export class Cart {
  private lines: Line[] = [];

  add(sku: string, quantity = 1): void {
    const line = this.lines.find((l) => l.sku === sku);
    if (line) {
      line.quantity += quantity;
    } else {
      this.lines.push({ sku, quantity });
    }
  }

  // The total is in cents, so that nothing is lost by rounding.
  total(): number {
    let sum = 0;
    for (const line of this.lines) {
      sum += priceOf(line.sku) * line.quantity;
    }
    return sum;
  }

  isEmpty(): boolean {
    return this.lines.length == 0;
  }
}
