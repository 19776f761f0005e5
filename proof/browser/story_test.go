package browser

import (
	"io/fs"
	"os"
	"testing"
)

// shopFiles returns the files of a small project.
func shopFiles(t *testing.T) map[string]string {
	t.Helper()
	out, tree := map[string]string{".env": "PAYMENT_KEY=sk_live_0000\n"}, os.DirFS("testdata/shop")
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(tree, name)
		out[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// askPolicy is a policy that asks a person about the migrations.
const askPolicy = "[write]\nask = [\"migrations/**\"]\n"

// shop creates a world with that project.
func shop(t *testing.T) *world {
	t.Helper()
	needBrowser(t)
	return shopAt(t, t.TempDir())
}

func shopAt(t *testing.T, root string) *world {
	t.Helper()
	w := worldAt(t, root, shopFiles(t))
	w.policy(askPolicy)
	return w
}

// story is an hour of three agents at work: they fix the totals of the cart, add value added tax and a stock, and remove old
// coupons. Some calls fail. The log then has forty entries, of every kind but those that need a crash. The agents are set up as
// emend setup does it; only the sessions have names, for the tests.
func (w *world) story() {
	w.t.Helper()
	w.stock()
	w.cart()
	w.tax()
	w.tidying()
}

// stock is a session that adds a directory of small modules and goes over them again.
func (w *world) stock() {
	a := w.client("gemini-cli-mcp-client", "0.9.0", "--session", "stock")
	parts := []string{"bin", "count", "order", "reserve", "shelf", "supplier"}
	for _, name := range parts {
		a.call("create_file", map[string]any{"path": "src/stock/" + name + ".ts", "createParentDirectories": true,
			"content": "// The " + name + " of the stock.\nexport interface Item {\n  sku: string;\n  quantity: number;\n}\n\nexport const " + name + ": Item[] = [];\n"})
	}
	for i, name := range parts {
		path := "src/stock/" + name + ".ts"
		a.edit(path, "  quantity: number;", "  quantity: number; // never below 0\n  warehouse: string;")
		if i%2 == 0 {
			a.edit(path, "= [];", "= []; // filled by load")
			a.refused("edit_file", map[string]any{"path": path, "expectedSha256": a.sha(path),
				"edits": []any{map[string]any{"oldText": "  quantity: bigint;\n  warehouse: String;\n", "newText": "  quantity: bigint;\n"}}})
		}
	}
	a.patch(stockPatch)
	a.edit("src/stock/index.ts", "Everything about", "All of")
	a.call("delete_file", map[string]any{"path": "src/stock/supplier.ts"})
	a.refused("read_file", map[string]any{"path": ".env"})
	a.refused("edit_file", map[string]any{"path": "src/stock/supplier.ts", "expectedSha256": emptyHash,
		"edits": []any{map[string]any{"oldText": "a", "newText": "b"}}})
}

const stockPatch = `*** Begin Patch
*** Add File: src/stock/index.ts
+// Everything about the stock.
+export * from "./bin";
+export * from "./count";
+export * from "./order";
*** Update File: src/stock/count.ts
@@
 export interface Item {
   sku: string;
+  name: string;
   quantity: number; // never below 0
*** Update File: src/stock/order.ts
@@
   warehouse: string;
 }
 
+export const open = () => order.filter((i) => i.quantity > 0);
+
 export const order: Item[] = []; // filled by load
*** End Patch
`

// cart is a session that fixes the rounding, with one edit that does not match.
func (w *world) cart() {
	a := w.agent("cart-rounding")
	a.edit("src/prices.ts", `return "€" + cents / 100;`, `return (cents / 100).toFixed(2) + " €";`)
	a.refused("edit_file", map[string]any{"path": "src/cart.ts", "expectedSha256": a.sha("src/cart.ts"),
		"edits": []any{map[string]any{"oldText": "return this.lines.length === 0;", "newText": "return this.lines.every((l) => l.quantity === 0);"}}})
	a.edit("src/cart.ts", "return this.lines.length == 0;", "return this.lines.every((l) => l.quantity === 0);")
	a.call("create_file", map[string]any{"path": "test/prices.test.ts", "content": pricesTest})
	a.refused("write_file", map[string]any{"path": ".env", "content": "PAYMENT_KEY=\n", "expectedSha256": emptyHash})
}

// tax is a session of another agent, with a patch over several files.
func (w *world) tax() {
	a := w.client("codex-mcp-client", "0.159.0", "--session", "vat-2026")
	a.patch(taxPatch)
	a.refused("apply_patch", map[string]any{"patch": "*** Begin Patch\n*** Update File: src/shipping.ts\n@@\n-  return 1990;\n+  return 1290;\n*** End Patch\n"})
	a.edit("src/shipping.ts", "return 990;", `return country === "AT" ? 790 : 990;`)
	a.edit("docs/shipping.md", "All other countries cost 9.90 €.", "Austria costs 7.90 €, all other countries 9.90 €.")
}

// tidying is a session that removes and renames files, and undoes one call itself.
func (w *world) tidying() {
	a := w.agent("tidy-up")
	a.call("delete_file", map[string]any{"path": "src/coupons.ts"})
	a.call("move_file", map[string]any{"fromPath": "docs/shipping.md", "toPath": "docs/delivery.md", "expectedSha256": a.sha("docs/shipping.md")})
	a.edit("README.md", "Sells tea, and ships it.", "Sells tea, pots and coupons, and ships them.")
	a.call("undo", map[string]any{})
	a.edit("README.md", "Sells tea, and ships it.", "Sells tea and pots, and ships them.")
}

const emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

const pricesTest = `import { test } from "node:test";
import assert from "node:assert";
import { format } from "../src/prices";

test("prices have two decimals", () => {
  assert.equal(format(890), "8.90 €");
});
`

const taxPatch = `*** Begin Patch
*** Update File: src/cart.ts
@@
 import { priceOf } from "./prices";
+import { taxOn } from "./tax";
@@
   // The total is in cents, so that nothing is lost by rounding.
-  total(): number {
+  total(country: string): number {
     let sum = 0;
@@
-    return sum;
+    return sum + taxOn(sum, country);
   }
*** Update File: src/prices.ts
@@
 export function priceOf(sku: string): number {
-  return prices[sku];
+  const price = prices[sku];
+  if (price === undefined) throw new Error("no price for " + sku);
+  return price;
 }
*** Add File: src/tax.ts
+// Value added tax, in percent, by country.
+const rates: Record<string, number> = { DE: 19, AT: 20, FR: 20 };
+
+export function taxOn(net: number, country: string): number {
+  const rate = rates[country];
+  if (rate === undefined) throw new Error("no tax rate for " + country);
+  return Math.round((net * rate) / 100);
+}
*** End Patch
`
