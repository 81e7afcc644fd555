import { LDS, RDS } from '@/lib/xds/resource-type';
import type { Recorder } from '../recorder/recorder';
import type { ClientSubject } from '../subjects/client-subjects';
import { findUnusedListeners } from './findings/notices';
import type { GraphBuilder } from './graph/graph-builder';
import type { ClientDefaults } from './resolved/resolved-query';

export interface DefaultsParts {
  readonly graphs: Pick<GraphBuilder, 'ask'>;
  readonly recorder: Pick<Recorder, 'flushed' | 'stats' | 'readHistory'>;
}

/** The client of a question about its effective config. */
export async function findDefaults(
  subject: ClientSubject,
  { graphs, recorder }: DefaultsParts,
  signal?: AbortSignal,
): Promise<ClientDefaults> {
  const { client, reported, source } = subject;
  const unused = await findUnusedListeners(subject, recorder, routesOf(source, graphs, signal), signal);
  return { ...client, reported, unused };
}

/** Returns the names of the route configurations that a listener of the client names. */
export function routesOf(
  source: ClientSubject['source'],
  graphs: DefaultsParts['graphs'],
  signal?: AbortSignal,
): (listener: string) => Promise<string[]> {
  return async (listener) => {
    const { uses } = await graphs.ask('links', source, { typeUrl: LDS.typeUrl, name: listener }, signal);
    return uses.flatMap(({ typeUrl, name }) => (typeUrl === RDS.typeUrl ? [name] : []));
  };
}
