import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Constraints, type ConstraintsByVersion, constraintsOf } from '@/lib/validate/constraints';
import { projectRoot } from '../project-root';

let read: ConstraintsByVersion | undefined;
const byVersion = new Map<string, Constraints>();

/**
 * Returns the validation constraints of the protos of a release of Envoy ("1.36"), by default of the newest, which Envoy
 * enforces. protos/build.mjs generates the file.
 */
export function readConstraints(version?: string): Constraints {
  if (read === undefined) {
    const file = path.join(projectRoot, 'protos', 'generated', 'constraints.json');
    read = JSON.parse(readFileSync(file, 'utf8')) as ConstraintsByVersion;
  }
  if (version === undefined) return read;
  const known = byVersion.get(version) ?? constraintsOf(read, version);
  byVersion.set(version, known);
  return known;
}
