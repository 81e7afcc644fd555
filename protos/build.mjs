// Makes generated/types.txt: every .proto file of the npm package (and of vendor/) that loads,
// in one descriptor root. A file that imports what the package lacks is left out and listed in
// generated/left-out.json with the missing import, so that nobody has to guess why a type is unknown.
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
/** Also has descriptors of protobuf's own. */
const protobufRoot = path.dirname(require.resolve('protobufjs/package.json'));

/** Import path -> absolute file, the first root that has it. */
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

/** All .proto files below a root, as import paths. */
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

/** The first import, direct or not, that no root has; undefined when the closure is complete. */
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

/** Whole or not at all: a server or a test that starts meanwhile must not read half a file. */
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
// Also those that no file imports: bodies may be of them.
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
