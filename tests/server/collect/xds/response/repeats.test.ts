import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CDS } from '@/lib/xds/resource-type';
import { peekResourceName } from '@/server/codec/resource-name';
import { decodeEnvelope } from '@/server/collect/xds/response/decode-response';
import { readEntries } from '@/server/collect/xds/response/read-entries';
import { Repeats } from '@/server/collect/xds/response/repeats';
import { ResponseOrder } from '@/server/collect/xds/response/response-order';
import { WireList } from '@/server/collect/xds/response/wire-list';
import '../../../../support/seeded-properties';
import { repeatableOf } from '../../../../support/builders/repeatable-resource';
import { type AnyMessage, anyOf, clusterOf, packed, responseOf } from '../../../../support/builders/xds-wire';

/** Keeps the resources of each response and reads the next one against them. */
class Reader {
  readonly held = new Map<string, Uint8Array>();
  #order = new ResponseOrder(CDS.typeUrl, [], () => undefined);

  read(resources: readonly AnyMessage[]) {
    const result = decodeEnvelope(
      responseOf({ typeUrl: CDS.typeUrl, versionInfo: '1', nonce: 'n', resources }),
    );
    if (result.kind !== 'envelope' || !(result.envelope.resources instanceof WireList))
      throw new Error('unreadable');
    const { envelope } = result;
    const list = result.envelope.resources;
    const repeats = new Repeats(list, this.#order);
    const entries = [...readEntries(envelope, peekResourceName, repeats)];
    const read = entries.flatMap((entry) => (entry.kind === 'resource' ? [entry] : []));
    for (const { name, bytes } of read) this.held.set(name, bytes);
    const find = (name: string) => {
      const bytes = this.held.get(name);
      return bytes && repeatableOf(CDS.typeUrl, name, bytes);
    };
    const names = repeats.otherNames();
    if (names !== null) this.#order = new ResponseOrder(CDS.typeUrl, names, find);
    else
      this.#order.refresh(
        read.map(({ name }) => name),
        find,
      );
    return {
      repeated: repeats.count,
      read: read.map(({ name }) => name),
      problems: entries.flatMap((entry) => (entry.kind === 'problem' ? [entry.reason] : [])),
      has: (name: string) => repeats.has(name),
    };
  }
}

const named = (...names: string[]): AnyMessage[] => names.map((name) => clusterOf(name));

describe('Repeats', () => {
  test('reads nothing of a response that is the same', () => {
    const reader = new Reader();
    expect(reader.read(named('a', 'b', 'c')).read).toEqual(['a', 'b', 'c']);
    const again = reader.read(named('a', 'b', 'c'));
    expect(again).toMatchObject({ repeated: 3, read: [], problems: [] });
    expect(['a', 'c', 'd'].map(again.has)).toEqual([true, true, false]);
  });

  test('reads the changed and new resources, and the one after a missing one', () => {
    const reader = new Reader();
    reader.read(named('a', 'b', 'c', 'd', 'e'));
    const changed = [...named('a'), clusterOf('b', 'other'), ...named('new', 'd', 'e')];
    expect(reader.read(changed)).toMatchObject({ repeated: 2, read: ['b', 'new', 'd'] });
    expect(reader.read(changed)).toMatchObject({ repeated: 5, read: [] });
  });

  test('a second resource of a name is a problem, whether the first is repeated or read', () => {
    const reader = new Reader();
    reader.read(named('a', 'b'));
    const problem = expect.stringContaining('expected one resource of this name, got another copy');
    expect(reader.read(named('a', 'b', 'a')).problems).toEqual([problem]);
    expect(reader.read([clusterOf('b', 'other'), ...named('a', 'b')]).problems).toEqual([problem]);
  });

  test('finds moved repeats after a second resource of a name', () => {
    const reader = new Reader();
    reader.read(named('a', 'b', 'c', 'd'));
    const moved = reader.read([clusterOf('a', 'other'), ...named('a', 'b', 'c', 'd')]);
    expect(moved).toMatchObject({ repeated: 3, read: ['a'], problems: [expect.any(String)] });
  });

  test('the same bytes with another type URL are no repeat', () => {
    const reader = new Reader();
    reader.read(named('a'));
    const other = named('a').map(({ value }) => anyOf(CDS.typeUrl.replace('Cluster', 'Clutter'), value));
    expect(reader.read(other)).toMatchObject({
      repeated: 0,
      problems: [expect.stringContaining('expected type')],
    });
  });

  test('reads a resource in a wrapper', () => {
    const reader = new Reader();
    reader.read(named('a'));
    const wrapper = packed('type.googleapis.com/envoy.service.discovery.v3.Resource', {
      name: 'a',
      resource: clusterOf('a'),
    });
    expect(reader.read([wrapper])).toMatchObject({ repeated: 0, read: ['a'] });
  });

  const response = fc.uniqueArray(fc.record({ index: fc.nat(11), version: fc.nat(1) }), {
    selector: ({ index }) => index,
  });

  test('each resource is either a repeat or read, in any order', () => {
    fc.assert(
      fc.property(fc.array(response, { maxLength: 6 }), (responses) => {
        const reader = new Reader();
        for (const each of responses) {
          const names = each.map(({ index }) => `c${index}`);
          const resources = each.map(({ index, version }) => clusterOf(`c${index}`, `v${version}`));
          const { repeated, read, problems, has } = reader.read(resources);
          expect(problems).toEqual([]);
          expect(repeated + read.length).toBe(names.length);
          for (const name of names) expect(has(name)).not.toBe(read.includes(name));
          expect(names.map((name) => reader.held.get(name))).toEqual(resources.map(({ value }) => value));
        }
      }),
    );
  });
});
