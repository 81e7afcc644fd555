import path from 'node:path';

/**
 * The files that a bootstrap names: found from `cwd`, or not to be read at all, since a caller of the API must not choose
 * files of this machine. Then the fields that name files or unix sockets are collected in `ignored`.
 */
export type BootstrapFiles = { readonly cwd: string } | { readonly ignored: string[] };

/** Null: the file is not to be read. `where` is the field. */
export function resolveFile(said: string, where: string, files: BootstrapFiles): string | null {
  if ('cwd' in files) return path.resolve(files.cwd, said);
  files.ignored.push(where);
  return null;
}
