// Writes descriptors/ from the Go modules of sources.json: `node protos/refresh.mjs`. It needs Go and a module proxy, unlike
// the build. Generated Go code has the descriptor of its .proto file as a literal, so that nothing is compiled.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { collectConstraints, differencesOf } from './constraints.mjs';
import { enumsOf, messagesOf, readFile, writeSet } from './descriptors.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const target = path.join(here, 'descriptors');
const sources = JSON.parse(readFileSync(path.join(here, 'sources.json'), 'utf8'));

/** The folder of a module at a version, which `go` downloads and verifies. */
function downloadModule(module, version) {
  const text = execFileSync('go', ['mod', 'download', '-json', `${module}@${version}`], { encoding: 'utf8' });
  return JSON.parse(text).Dir;
}

const generated = /^(?:var|const) file_\w+_rawDesc = (.*(?:\n.*)*?)\n(?=\}|\n)/gm;

/** The file descriptors in the Go files below a folder, by import path. */
function readModule({ module, version }) {
  const found = new Map();
  const dir = downloadModule(module, version);
  for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
    // Types of the v2 API are decoded as their v3 twins. Test data is not part of an API.
    if (!name.endsWith('.pb.go') || /(?:^|\/)(?:v2|v2alpha\d*|testdata|testprotos)\//.test(name)) continue;
    for (const [, literal] of readFileSync(path.join(dir, name), 'utf8').matchAll(generated)) {
      const file = readFile(literal.startsWith('[]byte{') ? bytesOfList(literal) : bytesOfText(literal));
      found.set(file.name, file);
    }
  }
  if (found.size === 0) throw new Error(`protos: ${module}@${version} has no descriptors`);
  return found;
}

function bytesOfList(literal) {
  return Uint8Array.from(
    [...literal.matchAll(/0x([0-9a-f]{2})/g)].map(([, hex]) => Number.parseInt(hex, 16)),
  );
}

const escapes = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11, '\\': 92, '"': 34 };
const piece = /\\x([0-9a-f]{2})|\\u([0-9a-f]{4})|\\U([0-9a-f]{8})|\\(.)|([^\\]+)/g;

/** The bytes of interpreted Go string literals that are joined with +. */
function bytesOfText(literal) {
  const parts = [];
  for (const [, text] of literal.matchAll(/"((?:[^"\\]|\\.)*)"/g)) {
    for (const [, hex, short, long, letter, plain] of text.matchAll(piece)) {
      const point = short ?? long;
      if (hex !== undefined) parts.push(Buffer.from(hex, 'hex'));
      else if (point !== undefined) parts.push(Buffer.from(String.fromCodePoint(Number.parseInt(point, 16))));
      else if (letter !== undefined) parts.push(Buffer.from([escapes[letter]]));
      else parts.push(Buffer.from(plain));
    }
  }
  return Buffer.concat(parts);
}

/** The JSON name of a field is stored only if it is not the usual one. */
function dropUsualNames(message) {
  for (const field of message.field) {
    const usual = field.name.replace(/_+(.?)/g, (_, letter) => letter.toUpperCase());
    if (field.jsonName === usual) delete field.jsonName;
  }
}

const modules = sources.modules.map((source) => ({ ...source, files: readModule(source) }));
const taken = new Map();

/** Takes a file and those that it imports. The first one of several files with the same name is taken. */
function take(name, importedBy) {
  if (taken.has(name)) return;
  const file = modules.map(({ files }) => files.get(name)).find((each) => each !== undefined);
  if (file === undefined) throw new Error(`protos: no module has "${name}", which ${importedBy} imports`);
  taken.set(name, file);
  for (const dependency of file.dependency) take(dependency, name);
}

/** Takes what only an older version declares, so that its documents are decoded as well. */
function takeRemoved(older) {
  const files = [...taken.values()];
  const messages = new Map([...messagesOf(files)].map(({ name, message }) => [name, message]));
  const names = new Set([...messages.keys(), ...[...enumsOf(files)].map(({ name }) => name)]);
  for (const file of older.values()) {
    const isNew = (each) => !names.has(`${file.package}.${each.name}`);
    const added = { messageType: file.messageType.filter(isNew), enumType: file.enumType.filter(isNew) };
    for (const { name, message } of messagesOf([file])) {
      dropRules(message);
      const known = messages.get(name);
      if (known !== undefined) addRemovedFields(known, message);
    }
    if (added.messageType.length + added.enumType.length === 0) continue;
    const name = `removed/${file.name}`;
    taken.set(name, { ...file, name, ...added, service: [], extension: [] });
    for (const dependency of file.dependency) take(dependency, name);
  }
}

/** The current versions of Envoy do not know these fields and validate none of them. */
function dropRules(message) {
  for (const { options } of message.field) if (options !== undefined) options.rules = [];
  message.oneofDecl = message.oneofDecl.map(({ name }) => ({ name }));
}

function addRemovedFields(message, older) {
  const removed = older.field.filter(
    (field) => !message.field.some(({ name, number }) => name === field.name || number === field.number),
  );
  for (const { oneofIndex, ...field } of removed) {
    const type = field.typeName?.split('.').at(-1);
    for (const kind of ['nestedType', 'enumType']) {
      const nested = older[kind].find(({ name }) => name === type);
      if (nested !== undefined && !message[kind].some(({ name }) => name === type))
        message[kind].push(nested);
    }
    if (oneofIndex === undefined) {
      message.field.push(field);
      continue;
    }
    const { name } = older.oneofDecl[oneofIndex];
    const known = message.oneofDecl.findIndex((each) => each.name === name);
    message.field.push({ ...field, oneofIndex: known === -1 ? message.oneofDecl.push({ name }) - 1 : known });
  }
}

for (const { module, files, only = [''] } of modules) {
  for (const name of files.keys()) if (only.some((prefix) => name.startsWith(prefix))) take(name, module);
}
const current = [...taken.values()];
let newer = collectConstraints(current);
const older = [];
for (const { module, version, constraintsOf: envoy } of sources.older) {
  const own = readModule({ module, version });
  if (envoy !== undefined) {
    // The files of the other modules are the same for all versions.
    const others = current.filter(({ name }) => !own.has(name));
    const constraints = collectConstraints([...own.values(), ...others]);
    older.push({ envoy, messages: differencesOf(newer, constraints, [...own.values()]) });
    newer = constraints;
  }
  takeRemoved(own);
}
const files = [...taken.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
for (const { message } of messagesOf(files)) dropUsualNames(message);
const set = writeSet(files);
const packed = gzipSync(set, { level: 9 });
mkdirSync(target, { recursive: true });
writeFileSync(path.join(target, 'types.binpb.gz'), packed);
writeFileSync(path.join(target, 'older-constraints.json'), `${JSON.stringify(older, null, 1)}\n`);
const counts = older.map(({ envoy, messages }) => `${envoy} ${Object.keys(messages).length}`);
process.stdout.write(
  `protos: ${files.length} files, ${set.length} bytes, ${packed.length} compressed; messages whose constraints changed after ` +
    `Envoy ${counts.join(', ')}\n`,
);
