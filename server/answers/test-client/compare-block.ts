import { resolvedQuery } from '@/lib/views/resolved/query';
import { type ConfiguredServer, comparePeers } from '@/lib/views/test-client/expected-shares';
import type { TestClientPage } from '@/lib/views/test-client/schema';
import { type DefaultsParts, findDefaults } from '../client-defaults';
import { parseInput } from '../parse-input';
import { trafficQuestion } from '../resolved/resolved-query';
import type { ClientSubject } from '../subjects/client-subjects';

type Comparison = Pick<NonNullable<TestClientPage['block']>, 'clusters' | 'unmatched'> & {
  readonly servers: readonly ConfiguredServer[];
};

const clustersCompared = 5;

/**
 * Compares the servers of the newest block with the endpoints that the config of the client leads to, and lists the
 * endpoints that are servers of the interop tests.
 */
export async function compareBlock(
  subject: ClientSubject,
  parts: DefaultsParts,
  signal: AbortSignal | undefined,
): Promise<Comparison> {
  const { source, testClient } = subject;
  const counted = testClient?.testClient.block?.peers ?? [];
  const addresses = testClient?.testClient.servers?.map(({ address }) => address) ?? [];
  if (counted.length + addresses.length === 0) return { clusters: [], unmatched: [], servers: [] };
  const names = counted.map(({ peer }) => peer);
  const about = { peers: names, addresses };
  const { peers: configured, servers } = await parts.graphs.ask('peers', source, about, signal);
  const known = new Set(configured.map(({ peer }) => peer));
  const unmatched = names.filter((name) => !known.has(name));
  const all = [...new Set(configured.map(({ cluster }) => cluster))].sort().slice(0, clustersCompared);
  const defaults = await findDefaults(subject, parts, signal);
  const clusters: Comparison['clusters'] = [];
  for (const cluster of all) {
    const question = trafficQuestion(parseInput(resolvedQuery, {}), defaults);
    const simulated = { cluster, changes: [], seconds: 0, find: '' };
    const request = { ...question, about: simulated };
    const simulation = await parts.graphs.ask('failover', source, request, signal);
    const own = configured.filter((each) => each.cluster === cluster);
    const compared = comparePeers(cluster, own, simulation, counted);
    if (compared !== undefined) clusters.push(compared);
  }
  return { clusters, unmatched, servers };
}
