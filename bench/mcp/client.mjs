// A client on the protocol's TypeScript library. Its first line of input says which server to start; every further line is
// calls to make, so many at a time, and is answered with a line of times and results.
import { createInterface } from "node:readline";
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const lines = createInterface({ input: process.stdin, crlfDelay: Infinity })[Symbol.asyncIterator]();
const server = JSON.parse((await lines.next()).value);
const transport = new StdioClientTransport({ ...server, stderr: "ignore" });
const client = new Client({ name: "bench", version: "1" });
await client.connect(transport);
process.stdout.write(JSON.stringify({ pid: transport.pid }) + "\n");

// run makes all calls; each begins when one before it has ended.
async function run({ calls, inFlight }) {
  const each = [], answers = [];
  let next = 0;
  const lane = async () => {
    while (next < calls.length) {
      const i = next++;
      const begin = performance.now();
      answers[i] = await client.callTool(calls[i]);
      each[i] = performance.now() - begin;
    }
  };
  const begin = performance.now();
  await Promise.all(Array.from({ length: inFlight }, lane));
  return { took: performance.now() - begin, each, answers };
}

for await (const line of lines) {
  process.stdout.write(JSON.stringify(await run(JSON.parse(line))) + "\n");
}
await client.close();
