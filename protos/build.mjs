// Writes generated/types.txt and generated/constraints.json from descriptors/ and overlay/.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { addFields } from './add-fields.mjs';
import { collectConstraints } from './constraints.mjs';
import { readSet } from './descriptors.mjs';
import { writeTypes } from './write-types.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const generated = path.join(here, 'generated');
const read = (name) => readFileSync(path.join(here, 'descriptors', name));

/** Replaces the file atomically, because servers and tests may start at the same time. */
function replaceFile(name, text) {
  const temporary = path.join(generated, `${name}.${process.pid}`);
  writeFileSync(temporary, text);
  renameSync(temporary, path.join(generated, name));
}

const files = readSet(gunzipSync(read('types.binpb.gz')));
const messages = collectConstraints(files);
addFields(files, path.join(here, 'overlay'));
mkdirSync(generated, { recursive: true });
replaceFile(
  'constraints.json',
  JSON.stringify({ messages, older: JSON.parse(read('older-constraints.json')) }),
);
replaceFile('types.txt', writeTypes(files));
