import path from 'node:path';
import type { Config } from '../config/config';
import { ConfigError } from '../config-error';
import type { Imports } from '../files/import/imports';
import type { LiveState } from '../live/live-state';
import type { Api } from './api';

/**
 * `--replay` opens the file, unless an earlier run opened it, and serves the streams of the first client in it that has
 * any, or the resources of the first client, at the end or at a time; or those of a client that is named. It serves at
 * recorded speed, from the first request on. Throws ConfigError.
 */
export async function replayFile(
  { file, host, port, nodeId, at }: NonNullable<Config['replay']>,
  { api, imports, live }: { readonly api: Api; readonly imports: Imports; readonly live: LiveState },
): Promise<void> {
  const known = `file:${path.basename(file)}`;
  try {
    const sourceId = imports.has(known) ? known : (await imports.addFile(file)).id;
    const clients = [...live.world.values()].filter(({ reports }) =>
      [...reports.values()].some((report) => live.sources.findFile(report.sourceId) === sourceId),
    );
    if (clients.length === 0) throw new Error('expected a client in it, got none');
    const wanted = clients.filter(({ node }) => nodeId === null || node.id === nodeId);
    if (wanted.length === 0) {
      const known = [...new Set(clients.map(({ node }) => node.id))].slice(0, 10).join(', ');
      throw new Error(`expected a client of node id ${JSON.stringify(nodeId)} in it, got ${known}`);
    }
    const modes = at === null ? (['stream', 'snapshot'] as const) : (['snapshot'] as const);
    const moment = at === null ? {} : { at };
    for (const mode of modes) {
      for (const { clientId } of wanted) {
        const started = await api
          .startReplay({ mode, clientId, port, ...moment }, host)
          .catch((error: unknown) => {
            if (isNothingToReplay(error)) return undefined;
            throw error;
          });
        if (started === undefined) continue;
        await api.runCommand('PATCH replays/{id}', {
          params: { id: started.id },
          body: { playing: true },
        });
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
