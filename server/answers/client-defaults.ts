import { findFailingEndpoints } from '@/lib/facts/failing-endpoints';
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
  const { client, reported, source, connections, moment } = subject;
  // What a source that is no longer live reported is not known to hold.
  const isKnown = connections !== undefined && (connections.freshness === 'live' || moment !== undefined);
  const failing = isKnown ? findFailingEndpoints(connections.connections) : undefined;
  const unused = await findUnusedListeners(subject, recorder, routesOf(source, graphs, signal), signal);
  return { ...client, reported, unused, ...(failing && failing.size > 0 && { failing }) };
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
