import { describe, expect, it } from 'vitest';
import { RDS, SRDS } from '@/lib/xds/resource-type';
import { requestOf } from '../requests/matched-requests';
import { cart, edge, start } from './edge-mesh';
import { explainIn, linesOf } from './explained-mesh';

const fragment = (extractor: object) => ({ headerValueExtractor: { name: 'x-scope', ...extractor } });
const answering = (name: string) => ({
  name,
  virtualHosts: [
    { name, domains: ['*'], routes: [{ name, match: { prefix: '/' }, directResponse: { status: 200 } }] },
  ],
});
const scopeOf = (name: string, key: readonly string[], more: object) => ({
  ...{ name, key: { fragments: key.map((stringKey) => ({ stringKey })) } },
  ...more,
});

function listening(fragments: readonly object[], scopes?: readonly object[]) {
  const scopedRoutes = {
    ...{ name: 'scopes', scopeKeyBuilder: { fragments } },
    ...(scopes === undefined
      ? { scopedRds: {} }
      : { scopedRouteConfigurationsList: { scopedRouteConfigurations: scopes } }),
  };
  return edge({ manager: { rds: undefined, scopedRoutes } });
}

describe('scoped routes', () => {
  const inline = (name: string, ...key: readonly string[]) =>
    scopeOf(name, key, { routeConfiguration: answering(name) });
  const routeOf = (
    fragments: readonly object[],
    scopes: readonly object[],
    ...headers: readonly string[]
  ) => {
    const request = requestOf('GET a/', ...headers);
    const { branches } = explainIn([listening(fragments, scopes), ...cart], request, { start });
    return branches[0]?.route ?? branches[0]?.text;
  };
  const byElement = fragment({ elementSeparator: ';', element: { separator: '=', key: 'region' } });
  const byIndex = fragment({ elementSeparator: ',', index: 1 });
  const scopes = [inline('eu', 'eu'), inline('us', 'us'), inline('both', 'eu', 'us')];

  it.each<[string, readonly object[], readonly string[], string]>([
    ['the whole value', [fragment({ index: 0 })], ['x-scope: us'], 'us'],
    ['an element by its key', [byElement], ['x-scope: zone=a;region=eu'], 'eu'],
    ['an element by its index', [byIndex], ['x-scope: eu,us'], 'us'],
    ['all fragments', [byElement, byIndex], ['x-scope: a;region=eu;b,us'], 'both'],
    [
      'fragments of two headers',
      [byElement, { headerValueExtractor: { name: 'x-zone', index: 0 } }],
      ['x-scope: region=eu', 'x-zone: us'],
      'both',
    ],
    ['the first value of the header', [fragment({ index: 0 })], ['x-scope: eu', 'x-scope: us'], 'eu'],
    ['no header', [fragment({ index: 0 })], [], 'no scope'],
    ['no such element', [byIndex], ['x-scope: eu'], 'no scope'],
    ['a scope that does not exist', [fragment({ index: 0 })], ['x-scope: asia'], 'no scope'],
  ])('are chosen by %s', (_, fragments, headers, expected) => {
    const route = routeOf(fragments, scopes, ...headers);
    expect(route?.startsWith('scoped routes: no scope is chosen') ? 'no scope' : route).toBe(expected);
  });

  it('are resources of SRDS that name route configurations, which may be pending', () => {
    const srds = (name: string, more: object) => ({
      ...{ typeUrl: SRDS.typeUrl, name },
      body: scopeOf(name, [name], more),
    });
    const resources = [
      listening([fragment({ index: 0 })]),
      srds('eu', { routeConfigurationName: 'routes-eu' }),
      srds('us', { routeConfigurationName: 'routes-us', onDemand: true }),
      { typeUrl: RDS.typeUrl, name: 'routes-eu', body: { ...answering('routes-eu') } },
      ...cart,
    ];
    const at = (scope: string) => explainIn(resources, requestOf('GET a/', `x-scope: ${scope}`), { start });
    expect(at('eu').branches[0]).toMatchObject({ kind: 'answered', route: 'routes-eu' });
    expect(linesOf(at('eu'))).toContain(
      'not-taken route configuration routes-us: it serves the scope us; the request has the scope eu',
    );
    expect(at('us').branches[0]).toMatchObject({
      kind: 'unknown',
      text: 'the scope is on_demand: its route configuration is requested with the first request',
    });
  });
});
