// Builds generated/types.txt from every .proto file of the npm package and of vendor/ that can be loaded. A file with a
// missing import is listed in generated/left-out.json with that import.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';
import { addFields } from './add-fields.mjs';
import { collectConstraints } from './constraints.mjs';
import { writeTypes } from './write-types.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const generated = path.join(here, 'generated');
const require = createRequire(import.meta.url);
const packageRoot = path.dirname(require.resolve('@grpc/grpc-js-xds/package.json'));
const searchRoots = [
  path.join(here, 'vendor'),
  ...['envoy-api', 'xds', 'googleapis', 'protoc-gen-validate'].map((d) => path.join(packageRoot, 'deps', d)),
];
/** The protobufjs package has the descriptors of protobuf itself. */
const protobufRoot = path.dirname(require.resolve('protobufjs/package.json'));

/** The absolute path of an import, from the first root that has it. */
function findProto(importPath) {
  for (const root of searchRoots) {
    const file = path.join(root, importPath);
    if (existsSync(file)) return file;
  }
  const shipped = path.join(protobufRoot, importPath);
  return importPath.startsWith('google/') && existsSync(shipped) ? shipped : undefined;
}

function isWellKnown(importPath) {
  return protobuf.common.get(importPath) !== null && protobuf.common.get(importPath) !== undefined;
}

/** Import paths of all .proto files below a root. */
function listProtos(root, under = '') {
  const dir = path.join(root, under);
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const relative = under === '' ? entry.name : `${under}/${entry.name}`;
    if (entry.isDirectory()) return listProtos(root, relative);
    return entry.name.endsWith('.proto') ? [relative] : [];
  });
}

const importsOf = new Map();
function readImports(importPath) {
  const known = importsOf.get(importPath);
  if (known !== undefined) return known;
  const file = findProto(importPath);
  const imports = file === undefined ? [] : protobufImports(readFileSync(file, 'utf8'));
  importsOf.set(importPath, imports);
  return imports;
}

function protobufImports(source) {
  return [...source.matchAll(/^import\s+(?:public\s+|weak\s+)?"([^"]+)"\s*;/gm)].map((m) => m[1]);
}

/** The first direct or transitive import that no root has; undefined if there is none. */
function findMissingImport(importPath, seen = new Set()) {
  if (seen.has(importPath)) return undefined;
  seen.add(importPath);
  if (findProto(importPath) === undefined) {
    return isWellKnown(importPath) || importPath === 'google/protobuf/descriptor.proto'
      ? undefined
      : importPath;
  }
  for (const next of readImports(importPath)) {
    const missing = findMissingImport(next, seen);
    if (missing !== undefined) return missing;
  }
  return undefined;
}

/** Replaces the file atomically, because servers and tests may start at the same time. */
function replaceFile(name, text) {
  const temporary = path.join(generated, `${name}.${process.pid}`);
  writeFileSync(temporary, text);
  renameSync(temporary, path.join(generated, name));
}

const root = new protobuf.Root();
root.resolvePath = (_origin, target) => {
  if (isWellKnown(target)) return target;
  return findProto(target) ?? null;
};

const leftOut = [];
// Well-known types are included even if no file imports them, since bodies may have them.
const wanted = ['any', 'duration', 'empty', 'field_mask', 'struct', 'timestamp', 'wrappers'].map(
  (name) => `google/protobuf/${name}.proto`,
);
for (const importPath of searchRoots.flatMap((r) => listProtos(r))) {
  if (importPath.startsWith('tests/') || importPath.startsWith('google/cloud/')) continue;
  const missing = findMissingImport(importPath);
  if (missing === undefined) wanted.push(importPath);
  else leftOut.push({ file: importPath, missingImport: missing });
}
await root.load(wanted, { keepCase: false, alternateCommentMode: false });
const added = addFields(root, path.join(here, 'overlay'));
root.resolveAll();

mkdirSync(generated, { recursive: true });
replaceFile('constraints.json', JSON.stringify(collectConstraints(root)));
replaceFile('types.txt', writeTypes(root));
replaceFile('left-out.json', JSON.stringify(leftOut, null, 1));
process.stdout.write(
  `protos: ${wanted.length} files in the root, ${leftOut.length} left out; ${added} types added to\n`,
);
