import { byDescending } from '../../collections/compare';
import type { FileImport } from '../recording/import-schema';

/** The newest import of a file with this name and size, which is probably the same file. */
export function findSameImport(
  file: { readonly name: string; readonly size: number },
  imports: readonly FileImport[],
): FileImport | undefined {
  return imports
    .filter(({ state }) => state !== 'failed' && state !== 'canceled')
    .filter(({ label, sizeBytes }) => sizeBytes === file.size && isLabelOf(label, file.name))
    .sort(byDescending(({ startedAt }) => startedAt))[0];
}

/** Repeated names are numbered: "dump.json", "dump.json (2)". */
function isLabelOf(label: string, name: string): boolean {
  return label === name || (label.startsWith(`${name} (`) && /^\(\d+\)$/.test(label.slice(name.length + 1)));
}
