import { ConfigError } from '../config/config';
import type { Imports } from './imports';

/** At the start: what cannot be opened ends it, with one line. */
export async function openFile(imports: Imports, file: string): Promise<void> {
  try {
    await imports.addFile(file);
  } catch (cause) {
    throw new ConfigError(`${file}: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}
