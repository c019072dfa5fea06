// Plain JavaScript that Node 20 can parse: better-sqlite3 ends Node 20 with a segmentation fault, which in this
// project would look like a successful drill.

/** Ends the process with one sentence on a Node that is too old. */
export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return;
  process.stderr.write(
    `Node ${process.versions.node} is too old: this program needs 22.18 or newer. Start it with "npm start", "npm test" or "npm run drill", which use the Node that "npm ci" installed.\n`,
  );
  process.exit(64);
}
