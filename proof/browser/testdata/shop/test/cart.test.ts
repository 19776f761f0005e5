import { test } from "node:test";
import assert from "node:assert";
import { Cart } from "../src/cart";

test("a new cart is empty", () => {
  assert.ok(new Cart().isEmpty());
});
