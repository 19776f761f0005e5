// Coupons of the summer sale. It is over.
export const coupons = new Map([
  ["SUMMER10", 0.1],
  ["SUMMER20", 0.2],
]);
