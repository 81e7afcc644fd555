import path from 'node:path';
import type { Api } from '../api/api';
import { ConfigError } from '../config/config';
import { fileOfSource } from '../dumps/import-names';
import type { Imports } from '../imports/imports';
import type { LiveState } from '../live/live-state';

export interface ReplayedFile {
  readonly file: string;
  readonly host: string;
  readonly port: number;
}

/**
 * `--replay`: opens the file, unless it was opened in an earlier run, and serves the streams of the first client in it
 * that has any, or what the first one held; at recorded speed, from the first request on. Throws ConfigError.
 */
export async function replayFile(
  { file, host, port }: ReplayedFile,
  { api, imports, live }: { readonly api: Api; readonly imports: Imports; readonly live: LiveState },
): Promise<void> {
  const known = `file:${path.basename(file)}`;
  try {
    const sourceId = imports.has(known) ? known : (await imports.addFile(file)).id;
    const clients = [...live.world.values()].filter(({ reports }) =>
      [...reports.values()].some((report) => fileOfSource(report.sourceId) === sourceId),
    );
    if (clients.length === 0) throw new Error('expected a client in it, got none');
    for (const mode of ['stream', 'snapshot'] as const) {
      for (const { clientId } of clients) {
        const started = await api.startReplay({ mode, clientId, port }, host).catch((error: unknown) => {
          if (isNothingToReplay(error)) return undefined;
          throw error;
        });
        if (started === undefined) continue;
        await api.changeReplay(started.id, { playing: true });
        process.stdout.write(`xdscope: replay of ${started.label} on ${started.address}\n`);
        return;
      }
    }
    throw new Error('expected responses or resources in it, got none');
  } catch (cause) {
    throw new ConfigError(`--replay: ${file}: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

function isNothingToReplay(error: unknown): boolean {
  return error instanceof Error && 'title' in error && error.title === 'Nothing to replay';
}
