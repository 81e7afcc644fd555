import path from 'node:path';

/**
 * The file names of a bootstrap are resolved against `cwd`. In a bootstrap that came by API they are ignored, because a
 * caller must not choose files of this machine; the fields that name files or unix sockets are added to `ignored`.
 */
export type BootstrapFiles = { readonly cwd: string } | { readonly ignored: string[] };

/** Returns null if files are ignored. `where` is the path of the field. */
export function resolveFile(name: string, where: string, files: BootstrapFiles): string | null {
  if ('cwd' in files) return path.resolve(files.cwd, name);
  files.ignored.push(where);
  return null;
}
