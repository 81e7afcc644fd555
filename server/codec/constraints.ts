import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Constraints } from '@/lib/validate/constraints';
import { projectRoot } from '../project-root';

let read: Constraints | undefined;

/** The validation constraints of the protos, which Envoy enforces. protos/build.mjs generates the file. */
export function readConstraints(): Constraints {
  if (read === undefined) {
    const file = path.join(projectRoot, 'protos', 'generated', 'constraints.json');
    read = JSON.parse(readFileSync(file, 'utf8')) as Constraints;
  }
  return read;
}
