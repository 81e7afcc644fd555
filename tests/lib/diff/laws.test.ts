import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalText } from '@/lib/diff/canonical-text';
import { diffValues } from '@/lib/diff/diff-values';
import { previousNames } from '@/lib/diff/field-facts';
import { isJsonObject, isSameJson } from '@/lib/diff/json-object';
import type { FieldsDiff, ListDiff, ValueDiff } from '@/lib/diff/value-diff';
import { CodecError } from '@/server/codec/codec-error';
import { decodeBody } from '@/server/codec/decode-body';
import { encodeBody } from '@/server/codec/encode-body';
import { messageType } from '@/server/codec/root';
import { seededRandom } from '@/server/lab/random';
import { hasCorpus } from '@/tests/support/builders/codec-corpus';
import { randomMessage } from '@/tests/support/builders/random-message';
import { realResources } from '@/tests/support/builders/real-resources';
import { finder, messageOf, turnSets } from '@/tests/support/diff-story';
import { runs } from '@/tests/support/runs';

/**
 * Builds the right side from the left one: applyDiff(diffValues(f, a, b, t), a) equals b. Returns undefined if there is no
 * value on the right. Throws an error if `value` is not the left side of the diff.
 */
function applyDiff(diff: ValueDiff | null, value: unknown): unknown {
  if (diff === null) return value;
  if (diff.kind === 'leaf') return diff.after;
  return diff.kind === 'fields' ? applyFields(diff, value) : applyList(diff, value);
}

function applyFields({ fields }: FieldsDiff, value: unknown): unknown {
  if (!isJsonObject(value)) throw new Error(`expected an object, got ${JSON.stringify(value)}`);
  const diffs = new Map(fields.map(({ name, diff }) => [name, diff]));
  const keys = new Map(
    fields.flatMap(({ name, formerly }) => (formerly === undefined ? [] : [[formerly, name]])),
  );
  const names = new Set([...Object.keys(value).map((name) => keys.get(name) ?? name), ...diffs.keys()]);
  const formers = new Map([...keys].map(([formerly, name]) => [name, formerly]));
  const entries = [...names].flatMap((name): [string, unknown][] => {
    const key = formers.get(name) ?? name;
    const applied = applyDiff(diffs.get(name) ?? null, Object.hasOwn(value, key) ? value[key] : undefined);
    return applied === undefined ? [] : [[name, applied]];
  });
  return Object.fromEntries(entries);
}

function applyList({ items, order, leftLength }: ListDiff, value: unknown): unknown {
  if (!Array.isArray(value) || value.length !== leftLength) {
    throw new Error(`expected a list of ${leftLength}, got ${JSON.stringify(value)}`);
  }
  const changed = new Map(items.map((item) => [item.right, item.diff]));
  const from = order ?? value.map((_, index) => index);
  return from.map((left, right) =>
    applyDiff(changed.get(right) ?? null, left === -1 ? undefined : value[left]),
  );
}

const types = [
  'envoy.config.listener.v3.Listener',
  'envoy.config.route.v3.RouteConfiguration',
  'envoy.config.route.v3.VirtualHost',
  'envoy.config.cluster.v3.Cluster',
  'envoy.config.endpoint.v3.ClusterLoadAssignment',
  'envoy.extensions.transport_sockets.tls.v3.Secret',
  'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
];

/** The decoded body of a random message. */
function randomBody(type: string, seed: number): unknown {
  return decodeBody(`type.googleapis.com/${type}`, randomMessage(messageType(type), seed), { asV3: true })
    .json;
}

/** Removes, duplicates, moves and changes random parts. */
function mutate(value: unknown, random: () => number, share: number): unknown {
  if (Array.isArray(value)) {
    const items = value.flatMap((item) => {
      const roll = random();
      if (roll < share) return [];
      const next = mutate(item, random, share);
      return roll < share * 2 ? [next, item] : [next];
    });
    if (items.length > 1 && random() < share * 3) items.push(items.shift());
    return items.length === 0 ? value : items;
  }
  if (isJsonObject(value)) {
    const entries = Object.entries(value).filter(([name]) => name === '@type' || random() >= share);
    return Object.fromEntries(entries.map(([name, held]) => [name, mutate(held, random, share)]));
  }
  if (random() >= share) return value;
  if (typeof value === 'number') return value + 1;
  return typeof value === 'boolean' ? !value : value;
}

function expectLaws(before: unknown, after: unknown, message: string): void {
  const diff = diffValues(finder, before, after, message);
  expect(isSameJson(applyDiff(diff, before), after)).toBe(true);
  expect(isSameJson(applyDiff(diffValues(finder, after, before, message), after), before)).toBe(true);
  const isAlike = canonicalText(finder, before, message) === canonicalText(finder, after, message);
  expect(diff === null || diff.totals.changes === 0).toBe(isAlike);
  expect(diffValues(finder, before, before, message)).toBe(null);
}

describe('diffValues', () => {
  it('transforms any two messages of a type into each other', () => {
    const seed = fc.integer({ min: 0, max: 2 ** 31 });
    fc.assert(
      fc.property(fc.constantFrom(...types), seed, seed, (type, one, other) => {
        expectLaws(randomBody(type, one), randomBody(type, other), type);
      }),
      { numRuns: runs(100) },
    );
  });

  it('fulfils its laws for randomly changed messages', () => {
    const seed = fc.integer({ min: 0, max: 2 ** 31 });
    const share = fc.constantFrom(0.02, 0.1, 0.3);
    fc.assert(
      fc.property(fc.constantFrom(...types), seed, share, (type, one, much) => {
        const body = randomBody(type, one);
        expectLaws(body, mutate(body, seededRandom(one), much), type);
      }),
      { numRuns: runs(150) },
    );
  });

  it('reports sets in another order as reordered only', () => {
    fc.assert(
      fc.property(fc.constantFrom(...types), fc.integer({ min: 0, max: 2 ** 31 }), (type, seed) => {
        const body = randomBody(type, seed);
        const turned = turnSets(body, type);
        const diff = diffValues(finder, body, turned, type);
        expect(diff?.totals.changes ?? 0).toBe(0);
        expect((diff?.totals.reordered ?? 0) > 0).toBe(!isSameJson(body, turned));
        expectLaws(body, turned, type);
      }),
      { numRuns: runs(150) },
    );
  });
});

/** A listener with current and former names of filters, by chance. */
function named(seed: number): unknown {
  const random = seededRandom(seed);
  const pick = (field: string) => {
    const names = [...(previousNames[field] ?? [])].flat();
    return names[Math.floor(random() * names.length)] ?? '';
  };
  const chains = Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({
    filters: Array.from({ length: 3 }, () => ({ name: pick('envoy.config.listener.v3.Filter.name') })),
  }));
  const logs = Array.from({ length: 3 }, () => ({ name: pick('envoy.config.accesslog.v3.AccessLog.name') }));
  return { name: 'in', filterChains: chains, accessLog: logs };
}

/** A virtual host with filter config under current and former names, by chance. */
function keyed(seed: number): unknown {
  const random = seededRandom(seed);
  const names = ['envoy.fault', 'envoy.lua', 'mine'].flatMap((name) => {
    const now = name.replace('envoy.', 'envoy.filters.http.');
    return [name, now].filter(() => random() < 0.5);
  });
  const config = () => ({
    '@type': 'type.googleapis.com/google.protobuf.Struct',
    value: { a: random() < 0.5 },
  });
  return { name: 'shop', typedPerFilterConfig: Object.fromEntries(names.map((name) => [name, config()])) };
}

describe('diffValues with former names of extensions', () => {
  it('holds its laws where they are keys', () => {
    const seed = fc.integer({ min: 0, max: 2 ** 31 });
    fc.assert(
      fc.property(seed, seed, (one, other) => expectLaws(keyed(one), keyed(other), types[2] ?? '')),
      { numRuns: runs(250) },
    );
  });

  it('holds its laws', () => {
    const seed = fc.integer({ min: 0, max: 2 ** 31 });
    fc.assert(
      fc.property(seed, seed, (one, other) => expectLaws(named(one), named(other), types[0] ?? '')),
      { numRuns: runs(150) },
    );
  });

  it('takes no name for another one at two places of its table', () => {
    for (const names of Object.values(previousNames)) {
      for (const now of names.values()) expect(names.get(now) ?? now).toBe(now);
    }
  });
});

describe.skipIf(!hasCorpus)('with resources of real projects (skipped without ../shared/corpus)', () => {
  it('holds its laws between neighbours, after changes, and with its sets turned round', () => {
    const before = new Map<string, unknown>();
    const random = seededRandom(5);
    let count = 0;
    for (const { resource } of realResources()) {
      const { '@type': typeUrl, ...rest } = resource;
      const body = readOrSkip(typeUrl, rest);
      if (body === undefined) continue;
      const message = messageOf(typeUrl);
      expectLaws(before.get(message) ?? {}, body, message);
      expectLaws(body, mutate(body, random, 0.05), message);
      const turned = turnSets(body, message);
      expectLaws(body, turned, message);
      expect(diffValues(finder, body, turned, message)?.totals.changes ?? 0).toBe(0);
      before.set(message, body);
      count += 1;
    }
    expect(count).toBeGreaterThan(400);
  });
});

function readOrSkip(typeUrl: string, json: unknown): unknown {
  try {
    return decodeBody(typeUrl, encodeBody(typeUrl, json), { asV3: true }).json;
  } catch (error) {
    if (error instanceof CodecError) return undefined;
    throw error;
  }
}
