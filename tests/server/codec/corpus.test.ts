import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCodec } from '@/server/codec/codec';
import { planReport } from '@/server/codec/dump-parser/plan-report';
import { readResources } from '@/server/codec/dump-parser/read-resources';
import { corpusFolders, hasCorpus } from '@/tests/support/builders/codec-corpus';

const codec = createCodec({ redactionKey: Buffer.from('tests') });

/** Envoy Gateway's golden files are lists of the type in the file name. */
const untypedLists: Readonly<Record<string, string>> = {
  clusters: 'envoy.config.cluster.v3.Cluster',
  listeners: 'envoy.config.listener.v3.Listener',
  routes: 'envoy.config.route.v3.RouteConfiguration',
  endpoints: 'envoy.config.endpoint.v3.ClusterLoadAssignment',
  secrets: 'envoy.extensions.transport_sockets.tls.v3.Secret',
};

/** Counts for one folder. */
interface Count {
  files: number;
  /** Requests, notes and empty lists. */
  withoutResources: number;
  resources: number;
  /** Resources with only known types and fields, and without omissions. */
  strict: number;
  withUnknownFields: number;
  withOpaqueParts: number;
  leftOut: number;
}

function countFolder(folder: string, reasons: Map<string, number>): Count {
  const count: Count = {
    files: 0,
    withoutResources: 0,
    resources: 0,
    strict: 0,
    withUnknownFields: 0,
    withOpaqueParts: 0,
    leftOut: 0,
  };
  for (const name of readdirSync(folder).filter((each) => /\.(json|yaml|golden|bin)$/.test(each))) {
    const listed = folder.endsWith('real/envoy-gateway')
      ? untypedLists[/\.(\w+)\.yaml$/.exec(name)?.[1] ?? '']
      : undefined;
    const content = readFileSync(path.join(folder, name));
    const plan = planReport(content, { typeUrl: listed });
    const { resources, problems } = readResources(plan);
    count.files++;
    if (resources.length === 0) {
      count.withoutResources++;
      continue;
    }
    for (const { reason } of problems) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    for (const { typeUrl, bytes, place } of resources) {
      const { json, opaque, unknown, redacted } = codec.decode(typeUrl, bytes);
      const isBroken = problems.some((each) => isAtOrBelow(each.place, place));
      count.resources++;
      if (unknown.length > 0) count.withUnknownFields++;
      if (opaque.length > 0) count.withOpaqueParts++;
      if (isBroken) count.leftOut++;
      if (unknown.length + opaque.length === 0 && !isBroken) count.strict++;
      // Encoding restores the bytes, except for the order of fields (Go writes oneofs last).
      const again = codec.encode(typeUrl, json);
      expect(again.length, `${folder}/${name} ${place}`).toBe(bytes.length);
      expect(codec.decode(typeUrl, again).json).toEqual(json);
      if (plan.format !== 'protobuf') expect(Buffer.from(again).equals(bytes)).toBe(true);
      const { body } = codec.sanitizeBody(typeUrl, bytes);
      expect(Buffer.from(body.bytes).includes('PRIVATE KEY-----\nM')).toBe(false);
      const stored = codec.decode(body.typeUrl, body.bytes);
      expect(stored.opaque.length).toBe(opaque.length);
      expect(stored.redacted.length).toBeGreaterThanOrEqual(redacted.length);
    }
  }
  return count;
}

function isAtOrBelow(place: string, resource: string): boolean {
  return (
    place === resource ||
    resource === '' ||
    place.startsWith(`${resource}.`) ||
    place.startsWith(`${resource}[`)
  );
}

function share(part: number, of: number): string {
  return of === 0 ? '-' : `${((100 * part) / of).toFixed(1)}%`;
}

describe('every resource of real systems', () => {
  it('decodes and encodes to the same content, with few unknown parts', () => {
    const reasons = new Map<string, number>();
    const lines: string[] = [];
    const sum = { resources: 0, strict: 0, unknown: 0 };
    for (const folder of corpusFolders) {
      const count = countFolder(folder, reasons);
      const unknown = count.withUnknownFields + count.withOpaqueParts;
      sum.resources += count.resources;
      sum.strict += count.strict;
      sum.unknown += unknown;
      lines.push(
        [
          folder.split('/').slice(-2).join('/').padEnd(28),
          `${count.files} files (${count.withoutResources} without resources)`.padEnd(38),
          `${String(count.resources).padStart(4)} resources`,
          `strict ${share(count.strict, count.resources)}`.padEnd(15),
          `with unknown parts ${share(unknown, count.resources)}`,
        ].join('  '),
      );
    }
    const worst = [...reasons].sort((a, b) => b[1] - a[1]).slice(0, 8);
    process.stdout.write(
      `${lines.join('\n')}\nall: ${sum.strict} of ${sum.resources} strict (${share(sum.strict, sum.resources)}), ` +
        `${share(sum.unknown, sum.resources)} with unknown parts; left out most often:\n` +
        worst.map(([reason, times]) => `  ${times} x ${reason}\n`).join(''),
    );
    expect(sum.resources).toBeGreaterThan(hasCorpus ? 1_000 : 100);
    expect(sum.strict / sum.resources).toBeGreaterThan(0.98);
    expect(sum.unknown / sum.resources).toBeLessThan(0.01);
  });
});
