import { expect, it } from 'vitest';
import { bootstrapTypeUrl } from '@/lib/model/bootstrap';
import { hostHealthTypeUrl } from '@/lib/model/host-health';
import { CDS, ECDS } from '@/lib/xds/resource-type';
import { resolverOver } from '@/tests/support/builders/resolve-mesh';
import type { MeshResource } from '@/tests/support/builders/topology-mesh';
import { cart, edge, explainAtEdge, extension, routes, start, to } from './edge-mesh';

const denying = { '@type': `${extension}http.rbac.v3.RBAC`, rules: { action: 'ALLOW', policies: {} } };
const discovered = (more: object = {}) => ({
  name: 'discovered',
  configDiscovery: { configSource: { ads: {} }, ...more },
});
const resource = (typedConfig: object, more: Partial<MeshResource> = {}): MeshResource => ({
  ...{ typeUrl: ECDS.typeUrl, name: 'discovered', ...more },
  body: { name: 'discovered', typedConfig },
});
const table = routes(to('cart', { prefix: '/' }));

/** A config dump from which nothing was left out. */
const whole: MeshResource[] = [
  { typeUrl: CDS.typeUrl, name: 'own', isStatic: true, body: { name: 'own' } },
  { typeUrl: hostHealthTypeUrl, name: 'own', body: { name: 'own' } },
  { typeUrl: bootstrapTypeUrl, name: '', body: {} },
];

function stated(filter: object, ...resources: MeshResource[]) {
  const mesh = [edge({ filters: [filter] }), table, ...cart, ...resources];
  const resolver = resolverOver(mesh, { start, profile: 'envoy' });
  const [own] = resolver.listener.chains.flatMap(({ httpFilters }) => httpFilters);
  const { branches } = explainAtEdge(mesh, 'GET shop.example/');
  return [
    own?.denied ?? '',
    own?.answers,
    branches.map(({ kind, status }) => `${kind} ${status ?? ''}`.trim()),
  ];
}

it('a filter with a config by ECDS does what the config in effect states', () => {
  expect(stated(discovered(), resource(denying))).toEqual([
    'denies all requests: it allows by policies, and has none',
    undefined,
    ['failed 403'],
  ]);
  const open = { '@type': `${extension}http.rbac.v3.RBAC` };
  expect(stated(discovered(), resource(open))).toEqual(['', undefined, ['forwarded']]);
});

it('a filter of which no config was accepted answers with 500, unless it has a default one', () => {
  const rejected = resource(denying, {
    ...{ clientStatus: 'NACKED', versionInfo: '' },
    errorState: { details: 'no', versionInfo: 'v1', lastUpdateAttempt: null, failedHash: null },
  });
  const without = { ...rejected, body: undefined };
  for (const none of [[without], whole]) {
    expect(stated(discovered(), ...(none as MeshResource[]))).toEqual([
      'answers every request with 500: no config of it is in effect (ECDS)',
      undefined,
      ['failed 500'],
    ]);
    expect(stated(discovered({ defaultConfig: denying }), ...(none as MeshResource[]))[2]).toEqual([
      'failed 403',
    ]);
  }
});

it('a filter of which no config is reported may do anything, as in a part of a config dump', () => {
  for (const none of [[], whole.slice(0, 1), whole.slice(1)])
    expect(stated(discovered(), ...none)).toEqual([
      '',
      expect.stringContaining('not reported'),
      ['forwarded', 'unknown'],
    ]);
});
