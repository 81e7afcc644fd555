import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  type Constraints,
  type ConstraintsByVersion,
  constraintsOf,
  type EnforcedConstraints,
} from '@/lib/validate/constraints';
import { profilesOf, releaseOf } from '@/lib/xds/profile';
import { projectRoot } from '../project-root';

let enforced: readonly EnforcedConstraints[] | undefined;
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

/** Returns the constraints that each profile of Envoy enforces. */
export function readEnforcedConstraints(): readonly EnforcedConstraints[] {
  enforced ??= profilesOf('envoy').map((profile) => {
    return { ...readConstraints(releaseOf(profile)), profiles: [profile] };
  });
  return enforced;
}
