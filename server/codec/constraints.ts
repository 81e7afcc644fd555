import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Constraints } from '@/lib/validate/constraints';
import { projectRoot } from '../project-root';

let read: Constraints | undefined;

/** The protos' own constraints, by which Envoy validates. Made by protos/build.mjs; read once a process. */
export function readConstraints(): Constraints {
  if (read === undefined) {
    const file = path.join(projectRoot, 'protos', 'generated', 'constraints.json');
    read = JSON.parse(readFileSync(file, 'utf8')) as Constraints;
  }
  return read;
}
