import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resourceKey } from '@/lib/observation/client-state';
import type { ResourceKey, ResourceState } from '@/lib/observation/resource-state';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import { createCodec } from '@/server/codec/codec';
import type { ProbeInterest } from '@/server/collect/xds/client/wanted-names';
import type { ManagementServer } from '@/server/lab/management-server/management-server';
import { reachableFrom } from '@/tests/support/reachable-from';
import {
  type AnyMessage,
  clusterOf,
  endpointsOf,
  listenerOf,
  routeOf,
} from '../../../support/builders/xds-wire';
import { ClientStories, listeners } from '../../../support/xds-client-story';
import { type ProbeStory, resourceOf, until } from '../../../support/xds-probe-story';
import '../../../support/seeded-properties';
import { runs } from '@/tests/support/runs';

const transports = ['ads', 'delta-ads', 'sotw', 'delta'] as const;
const codec = createCodec({ redactionKey: new Uint8Array(32) });

/** A resource of the server with its references. */
interface Config extends ResourceKey {
  readonly body: AnyMessage;
  readonly follows: readonly ResourceKey[];
}
type Change = Config | (ResourceKey & { readonly body: null });

const names = ['a', 'b', 'c'];
const name = fc.constantFrom(...names);
const keysOf = ({ typeUrl }: { typeUrl: string }, ...of: string[]): ResourceKey[] =>
  of.map((each) => ({ typeUrl, name: each }));

const gone = (type: typeof LDS) =>
  name.map((of): Change => ({ typeUrl: type.typeUrl, name: of, body: null }));
/** Endpoints and routes are not removed, because state of the world cannot express it. */
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(name, name).map(([of, routes]) => ({
    ...{ typeUrl: LDS.typeUrl, name: of, body: listenerOf(of, routes) },
    follows: keysOf(RDS, routes),
  })),
  fc.tuple(name, fc.subarray(names)).map(([of, clusters]) => ({
    ...{ typeUrl: RDS.typeUrl, name: of, body: routeOf(of, ...clusters) },
    follows: keysOf(CDS, ...clusters),
  })),
  fc.tuple(name, name).map(([of, endpoints]) => ({
    ...{ typeUrl: CDS.typeUrl, name: of, body: clusterOf(of, endpoints) },
    follows: keysOf(EDS, endpoints),
  })),
  fc.tuple(name, fc.integer({ min: 1, max: 3 })).map(([of, weight]) => ({
    ...{ typeUrl: EDS.typeUrl, name: of, body: endpointsOf(of, weight) },
    follows: [],
  })),
  gone(LDS),
  gone(CDS),
);

function apply(server: ManagementServer, config: Map<string, Config>, each: Change): void {
  const { typeUrl, name: of } = each;
  if (each.body === null) {
    config.delete(resourceKey(each));
    server.removeResource('*', typeUrl, of);
  } else {
    config.set(resourceKey(each), each);
    server.setResource('*', resourceOf(of, each.body));
  }
}

/** The rows that a client must have in the end. */
function expectedRows(
  config: ReadonlyMap<string, Config>,
  { wildcard, listeners: of }: ProbeInterest,
): string[] {
  const offered = [...config.values()].filter(
    ({ typeUrl }) => typeUrl === LDS.typeUrl || typeUrl === CDS.typeUrl,
  );
  const roots = wildcard ? offered : keysOf(LDS, ...of);
  const reached = reachableFrom(roots, (key) => config.get(resourceKey(key))?.follows ?? []);
  const rows: string[] = [];
  for (const [typeUrl, reachedNames] of reached) {
    for (const each of reachedNames) {
      const held = config.get(resourceKey({ typeUrl, name: each }));
      const hash = held && codec.sanitizeBody(typeUrl, held.body.value).body.hash;
      if (hash !== undefined) rows.push(`${typeUrl} ${each} ACKED ${hash}`);
      // A wildcard has no rows of absent resources.
      else if (!wildcard || typeUrl !== CDS.typeUrl) rows.push(`${typeUrl} ${each} missing`);
    }
  }
  return rows.sort();
}

/** Absent resources are REQUESTED until the timer expires in state of the world, so that both statuses count as missing. */
function rowsOf(story: ProbeStory): string[] {
  const rows = new Map<string, ResourceState>();
  for (const each of story.reported) {
    if (!('changed' in each)) continue;
    for (const key of each.removed) rows.delete(resourceKey(key));
    for (const row of each.changed) rows.set(resourceKey(row), row);
  }
  return [...rows.values()]
    .map(({ typeUrl, name: of, clientStatus, hash }) =>
      clientStatus === 'REQUESTED' || clientStatus === 'DOES_NOT_EXIST'
        ? `${typeUrl} ${of} missing`
        : `${typeUrl} ${of} ${clientStatus} ${hash}`,
    )
    .sort();
}

test.each([
  ['wildcards', { wildcard: true, listeners: [], resources: new Map() }],
  ['listeners by name', listeners('a', 'b')],
])(
  'every transport has the same rows after any changes, for %s',
  async (_, interest) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(change, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 6 }),
        async (rounds) => {
          const stories = new ClientStories();
          try {
            const { server, target } = await stories.server();
            const config = new Map<string, Config>();
            const started = transports.map((transport) => stories.start(target, { interest, transport }));
            for (const round of rounds) {
              for (const each of round) apply(server, config, each);
              const expected = expectedRows(config, interest);
              await until(() => {
                stories.clock.advance(10);
                for (const story of started) expect(rowsOf(story)).toEqual(expected);
              });
            }
          } finally {
            await stories.close();
          }
        },
      ),
      { numRuns: runs(12), endOnFailure: true },
    );
  },
  120_000,
);
