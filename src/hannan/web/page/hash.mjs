// Write a hash of the sources beside the built files. A test compares it, so that a stale build is noticed without Node.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL(".", import.meta.url));
const left = new Set(["node_modules", ".gitignore", ".npmrc"]);

function files(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (left.has(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? files(path) : [path];
  });
}

const named = files(root).map((path) => [relative(root, path).split(sep).join("/"), path]);
named.sort(([one], [other]) => (one < other ? -1 : 1));
const hash = createHash("sha256");
for (const [name, path] of named) {
  const content = readFileSync(path);
  hash.update(`${name}\0${content.length}\0`);
  hash.update(content);
}
writeFileSync(join(root, "..", "static", "sources.sha256"), `${hash.digest("hex")}\n`);
