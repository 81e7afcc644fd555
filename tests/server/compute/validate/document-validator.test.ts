import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { formatCount } from '@/lib/format/count';
import { CDS, EDS, RDS } from '@/lib/xds/resource-type';
import { encodeBody } from '@/server/codec/encode-body';
import { messageType } from '@/server/codec/root';
import { Validator } from '@/server/compute/validate/document-validator';
import type { Body } from '@/server/observe';
import { startBodies } from '@/tests/support/builders/stored-bodies';

function bodyOf(resource: unknown): Body {
  const bytes = encodeBody(CDS.typeUrl, resource);
  return { typeUrl: CDS.typeUrl, bytes, hash: createHash('sha256').update(bytes).digest('hex') };
}

/** A validator of stored bodies, and the hashes that the main thread read. */
async function validateOver(bodies: readonly Body[], inPlaceBytes: number) {
  const { recorder, source, reads, close } = await startBodies(bodies);
  const validate = new Validator({ redactionKey: randomBytes(32), inPlaceBytes, recorder: source });
  onTestFinished(() => validate.close());
  onTestFinished(close);
  return { validate, recorder, reads };
}

const good = bodyOf({ name: 'good', type: 'EDS', edsClusterConfig: { edsConfig: { ads: {} } } });
const bad = bodyOf({ name: 'bad', type: 'STATIC' });

describe('Validator', () => {
  it.each([
    ['on the event loop', 1e9],
    ['in the worker', 0],
  ])('validates bodies %s', async (_where, inPlaceBytes) => {
    const { validate } = await validateOver([good, bad], inPlaceBytes);
    const findingsOf = await validate.validateBodies([good, bad]);
    expect(findingsOf(good)).toEqual({ findings: [], unchecked: [] });
    expect(findingsOf(bad)?.findings.map(({ ruleId }) => ruleId)).toEqual(['C1']);
  });

  it('validates only changed bodies', async () => {
    const { validate, reads } = await validateOver([good, bad], 1e9);
    await validate.validateBodies([good]);
    await validate.validateBodies([good, bad]);
    expect(reads).toEqual([good.hash, bad.hash]);
  });

  it('validates many bodies in the worker, which reads written bodies and receives pending ones', async () => {
    const many = Array.from({ length: 60 }, (_, at) => bodyOf({ name: `bad ${at}`, type: 'STATIC' }));
    const { validate, recorder, reads } = await validateOver(many.slice(0, 30), 1e9);
    await recorder.flushed();
    const observation = { kind: 'source-up', at: 0, vantage: 'csds', sourceId: 's' } as const;
    recorder.append({ observation, bodies: many.slice(30, 59) });
    const findingsOf = await validate.validateBodies(many);
    expect(many.map((key) => findingsOf(key)?.findings.length)).toEqual([...Array(59).fill(1), undefined]);
    expect(reads).toEqual([]);
  });

  it('has no findings for a body that is not stored', async () => {
    const { validate } = await validateOver([good], 1e9);
    const findingsOf = await validate.validateBodies([good, bad]);
    expect(findingsOf(bad)).toBeUndefined();
  });

  const input = (text: string, typeUrl?: string) => ({
    profile: 'core-1.51' as const,
    bytes: Buffer.from(text),
    typeUrl,
  });

  it.each([
    ['on the event loop', 1e9],
    ['in the worker', 0],
  ])('validates the bytes of a resource %s', async (_where, inPlaceBytes) => {
    const { validate } = await validateOver([], inPlaceBytes);
    const valueBase64 = Buffer.from(bad.bytes).toString('base64');
    const validated = await validate.validateInput(
      input(JSON.stringify({ typeUrl: CDS.typeUrl, valueBase64 })),
    );
    expect(validated).toMatchObject({
      ok: true,
      validation: { verdict: 'NACK', findings: [{ ruleId: 'C1' }] },
    });
  });

  let reader: Validator;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const stored = await startBodies();
    reader = new Validator({ redactionKey: randomBytes(32), inPlaceBytes: 1e9, recorder: stored.source });
    close = () => reader.close().then(stored.close);
  });
  afterAll(() => close());
  const cluster = '"@type": "type.googleapis.com/envoy.config.cluster.v3.Cluster"';

  it.each([
    ['a resource as JSON', input(`{${cluster}, "name": "a", "type": "STATIC"}`), 'NACK', ['a']],
    ['a resource as YAML', input(`${cluster}\nname: a\ntype: STATIC`), 'NACK', ['a']],
    [
      'a resource whose type is reported',
      input('{"name": "a", "type": "STATIC"}', CDS.typeUrl),
      'NACK',
      ['a'],
    ],
    [
      'a response',
      input(`{"versionInfo": "1", "resources": [{${cluster}, "name": "a", "type": "STATIC"}]}`),
      'NACK',
      ['a'],
    ],
  ] as const)('validates %s', async (_what, document, verdict, names) => {
    const validated = await reader.validateInput(document);
    expect(validated.ok && validated.validation.verdict, JSON.stringify(validated)).toBe(verdict);
    expect(validated.ok && validated.validation.resources?.map(({ name }) => name)).toEqual(names);
  });

  it.each([
    ['nothing', input(''), 'expected'],
    ['no JSON', input('{'), 'the JSON is truncated'],
    ['an unknown member', input(`{${cluster}, "nme": "a"}`), 'nme'],
    ['a number for a name', input(`{${cluster}, "name": 1}`), 'name'],
    ['neither bytes nor resource', input('{"typeUrl": "x", "resource": 1, "valueBase64": "AA=="}'), 'either'],
    ['bytes that are no base64', input('{"typeUrl": "x", "valueBase64": "?"}'), 'valueBase64'],
  ] as const)('rejects %s with the expected input', async (_what, document, expected) => {
    const validated = await reader.validateInput(document);
    expect(validated.ok).toBe(false);
    expect(!validated.ok && validated.reason).toContain(expected);
  });

  it('passes the clusters of a document to the rules', async () => {
    const route = {
      '@type': 'type.googleapis.com/envoy.config.route.v3.RouteConfiguration',
      name: 'r',
      validateClusters: true,
      virtualHosts: [
        { name: 'v', domains: ['*'], routes: [{ match: { prefix: '' }, route: { cluster: 'b' } }] },
      ],
    };
    const dump = { resources: [{ '@type': CDS.typeUrl, name: 'a' }, route] };
    const validated = await reader.validateInput({ ...input(JSON.stringify(dump)), profile: 'envoy-1.40' });
    const found = validated.ok ? validated.validation.resources?.[1]?.findings : undefined;
    expect(found?.map(({ ruleId }) => ruleId)).toContain('ENVOY-clusters');
  });

  const bad64 = Buffer.from(bad.bytes).toString('base64');
  const delta = 'type.googleapis.com/envoy.service.discovery.v3.Resource';

  it.each([
    [
      'bytes of a v2 type',
      JSON.stringify({ typeUrl: 'type.googleapis.com/envoy.api.v2.Cluster', valueBase64: bad64 }),
    ],
    ['a document of a v2 type', '{"@type": "type.googleapis.com/envoy.api.v2.Cluster", "name": "a"}'],
  ])('validates %s as its v3 twin, and marks it', async (_what, text) => {
    const validated = await reader.validateInput(input(text));
    const validation = validated.ok ? validated.validation : undefined;
    expect(validation?.findings.map(({ ruleId }) => ruleId)).toEqual(['C1']);
    expect(validation?.resources?.[0]?.apiVersion ?? validation?.apiVersion).toBe('v2');
  });

  it('validates the resource in a Resource of a delta response', async () => {
    const inner = { '@type': CDS.typeUrl, name: 'bad', type: 'STATIC' };
    const json = { name: 'bad', resource: inner };
    const valueBase64 = Buffer.from(encodeBody(delta, json)).toString('base64');
    for (const text of [
      JSON.stringify({ typeUrl: delta, valueBase64 }),
      JSON.stringify({ typeUrl: delta, resource: json }),
      JSON.stringify({ '@type': delta, ...json }),
    ]) {
      const validated = await reader.validateInput(input(text));
      expect(validated.ok && validated.validation.resources, JSON.stringify(validated)).toMatchObject([
        { typeUrl: CDS.typeUrl, name: 'bad', verdict: 'NACK', findings: [{ ruleId: 'C1' }] },
      ]);
    }
  });

  it('lists the 1,000 most severe findings of a document, and counts all', async () => {
    const warned = {
      '@type': CDS.typeUrl,
      name: 'warned',
      type: 'EDS',
      edsClusterConfig: { edsConfig: { ads: {} } },
    };
    const broken = (at: number) => ({ '@type': CDS.typeUrl, name: `c${at}`, type: 'STATIC' });
    const one = await reader.validateInput(input(JSON.stringify(broken(0))));
    expect(one.ok && one.validation.notListed).toBeUndefined();
    const resources = [warned, ...Array.from({ length: 2_500 }, (_, at) => broken(at))];
    const validated = await reader.validateInput(input(JSON.stringify({ resources })));
    const validation = validated.ok ? validated.validation : undefined;
    expect(validation?.verdict).toBe('NACK');
    expect(validation?.findings).toHaveLength(1_000);
    expect(validation?.findings.every(({ reactions }) => reactions['core-1.51'] === 'NACK')).toBe(true);
    expect(validation?.totals).toMatchObject({
      findings: { NACK: 2_500 },
      resources: { ACK: 1, NACK: 2_500 },
    });
    expect(validation?.notListed).toEqual({
      findings: 1_500,
      resources: 0,
      problems: 0,
      text: `${formatCount(1_000)} of ${formatCount(2_500)} findings are listed, the most severe first; ${formatCount(1_500)} more are not listed.`,
    });
    expect(validation?.resources?.map(({ name, findings }) => [name, findings.length])).toEqual([
      ['warned', 0],
      ...Array.from({ length: 2_500 }, (_, at) => [`c${at}`, at < 1_000 ? 1 : 0]),
    ]);
  });

  it('counts all findings of a resource with many errors', async () => {
    const validate = async (count: number) => {
      const entries = Array.from({ length: count }, (_, at) => [`f${at}`, {}]);
      const virtualHosts = [{ name: 'v', domains: ['*'], typedPerFilterConfig: Object.fromEntries(entries) }];
      const text = JSON.stringify({ '@type': RDS.typeUrl, name: 'r', virtualHosts });
      const validated = await reader.validateInput(input(text));
      return validated.ok ? validated.validation : undefined;
    };
    const few = await validate(3);
    expect(few?.findings).toHaveLength(10);
    expect(few?.totals.findings).toMatchObject({ NACK: 7, ignore: 0, accept: 3 });
    const many = await validate(3_000);
    expect(many?.findings).toHaveLength(1_000);
    expect(many?.totals.findings).toMatchObject({ NACK: 6_001, ignore: 0, accept: 3_000 });
    expect(many?.notListed).toMatchObject({ findings: 8_001 });
  });

  it('finds a name that is twice in a response, which Envoy rejects', async () => {
    const cluster = {
      '@type': CDS.typeUrl,
      name: 'a',
      type: 'EDS',
      edsClusterConfig: { edsConfig: { ads: {} } },
    };
    const document = { typeUrl: CDS.typeUrl, nonce: '1', resources: [cluster, cluster] };
    const validated = await reader.validateInput({
      ...input(JSON.stringify(document)),
      profile: 'envoy-1.40',
    });
    const validation = validated.ok ? validated.validation : undefined;
    expect(validation?.findings.map(({ ruleId }) => ruleId)).toEqual(['ENVOY-repeated']);
    expect(validation?.verdicts).toMatchObject({
      'envoy-1.40': 'NACK',
      'core-1.56': 'ACK',
      'go-1.73': 'ACK',
    });
  });

  it('finds a resource of another type than its response, which every client rejects', async () => {
    const cluster = { name: 'a', type: 'EDS', edsClusterConfig: { edsConfig: { ads: {} } } };
    const resources = [
      { '@type': CDS.typeUrl, ...cluster },
      { '@type': EDS.typeUrl, clusterName: 'a' },
    ];
    const type = messageType('envoy.service.discovery.v3.DiscoveryResponse');
    const mixed = [
      Buffer.from(JSON.stringify({ typeUrl: CDS.typeUrl, versionInfo: '1', resources })),
      Buffer.from(
        type
          .encode(
            type.fromObject({
              ...{ typeUrl: CDS.typeUrl, versionInfo: '1' },
              resources: [
                { type_url: CDS.typeUrl, value: encodeBody(CDS.typeUrl, cluster) },
                { type_url: EDS.typeUrl, value: encodeBody(EDS.typeUrl, { clusterName: 'a' }) },
              ],
            }),
          )
          .finish(),
      ),
    ];
    for (const bytes of mixed) {
      const validated = await reader.checkInput({ bytes, profiles: ['go-1.85', 'envoy-1.40'] });
      const found = validated.ok ? validated.resources : [];
      expect(found.map(({ name, verdicts }) => [name, verdicts])).toEqual([
        ['a', { 'go-1.85': 'ACK', 'envoy-1.40': 'NACK' }],
        ['a', { 'go-1.85': 'NACK', 'envoy-1.40': 'NACK' }],
      ]);
      expect(found[1]?.findings[0]).toMatchObject({
        ruleId: 'response-type',
        message:
          'the resource: expected envoy.config.cluster.v3.Cluster, the type_url of the response, got envoy.config.endpoint.v3.ClusterLoadAssignment',
      });
    }
    // A list of resources without a type is no response.
    const listed = await reader.checkInput({
      bytes: Buffer.from(JSON.stringify({ resources })),
      profiles: ['go-1.85'],
    });
    expect(listed.ok && listed.resources.map(({ verdicts }) => verdicts)).toEqual([
      { 'go-1.85': 'ACK' },
      { 'go-1.85': 'ACK' },
    ]);
  });

  it('states what the verdict of Envoy also depends on', async () => {
    const socket = { name: 'x', typedConfig: { '@type': 'type.googleapis.com/google.protobuf.StringValue' } };
    const cluster = { '@type': CDS.typeUrl, name: 'a', type: 'STATIC', transportSocket: socket };
    const validated = await reader.validateInput({
      ...input(JSON.stringify(cluster)),
      profile: 'envoy-1.40',
    });
    const validation = validated.ok ? validated.validation : undefined;
    expect(validation).toMatchObject({
      verdict: 'NACK',
      dependsOn: [
        'The build of Envoy, which is not known here: releases have no such extension of type google.protobuf.StringValue.',
      ],
    });
    const [dependent] = validation?.findings.filter(({ dependsOn }) => dependsOn !== undefined) ?? [];
    expect(dependent).toMatchObject({
      fieldPath: 'transportSocket.typedConfig',
      otherwise: { 'envoy-1.40': 'accept' },
    });
  });

  it('lists 10,000 resources, rejected ones first, and 1,000 problems', async () => {
    const ads = { edsConfig: { ads: {} } };
    const good = (at: number) => ({
      '@type': CDS.typeUrl,
      name: `g${at}`,
      type: 'EDS',
      edsClusterConfig: ads,
    });
    const resources = [
      ...Array.from({ length: 10_500 }, (_, at) => good(at)),
      { '@type': CDS.typeUrl, name: 'bad', type: 'STATIC' },
      ...Array.from({ length: 1_001 }, () => ({ '@type': 'acme.Nothing' })),
    ];
    const validated = await reader.validateInput(input(JSON.stringify({ resources })));
    const validation = validated.ok ? validated.validation : undefined;
    expect(validation?.resources).toHaveLength(10_000);
    expect(validation?.resources?.at(-1)?.name).toBe('bad');
    expect(validation?.problems).toHaveLength(1_000);
    expect(validation?.totals).toMatchObject({ resources: { ACK: 10_500, NACK: 1 }, problems: 1_001 });
    expect(validation?.notListed?.text).toBe(
      `${formatCount(10_000)} of ${formatCount(10_501)} resources are listed, rejected ones first; 501 more are not listed. ` +
        `${formatCount(1_000)} of ${formatCount(1_001)} problems are listed; 1 more is not listed.`,
    );
  });

  it('redacts secrets in its findings', async () => {
    const key =
      '-----BEGIN PRIVATE KEY-----\nMIIBVgIBADANBgkqhkiG9w0BAQEFAASCAUAwggE8AgEAAkEAq7BFUpkGp3\n-----END PRIVATE KEY-----\n';
    const tls = {
      '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
      commonTlsContext: { tlsCertificates: [{ privateKey: { inlineString: key } }] },
    };
    const resource = {
      name: 'a',
      transportSocket: { name: 'envoy.transport_sockets.tls', typedConfig: tls },
    };
    const validated = await reader.validateInput(input(JSON.stringify({ typeUrl: CDS.typeUrl, resource })));
    expect(validated.ok).toBe(true);
    expect(JSON.stringify(validated)).not.toContain('MIIB');
  });
});
