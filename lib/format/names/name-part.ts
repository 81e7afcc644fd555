import { parseName } from './parse-name';

/** The parts of names that tables have columns for. */
export const nameParts = ['service', 'namespace', 'port', 'subset', 'direction', 'fqdn'] as const;
export type NamePart = (typeof nameParts)[number];

/** null: the name does not state the part. */
export function findNamePart(name: string, typeUrl: string, part: NamePart): string | null {
  return parseName(name, typeUrl)?.[part] ?? null;
}
