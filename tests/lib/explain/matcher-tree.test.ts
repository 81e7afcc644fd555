import { describe, expect, it } from 'vitest';
import { requestOf } from '../requests/matched-requests';
import { cart, edge, start } from './edge-mesh';
import { explainIn, linesOf } from './explained-mesh';

describe('a virtual host with a matcher tree', () => {
  const action = (type: string, config: object) => ({
    action: {
      name: 'x',
      typedConfig: { '@type': `type.googleapis.com/envoy.config.route.v3.${type}`, ...config },
    },
  });
  const header = (headerName: string) => ({
    name: 'header',
    typedConfig: {
      '@type': 'type.googleapis.com/envoy.type.matcher.v3.HttpRequestHeaderMatchInput',
      headerName,
    },
  });
  const answers = (name: string, match: object) => ({ name, match, directResponse: { status: 200 } });
  const mesh = (matcher: object) => [
    edge({
      manager: { rds: undefined, routeConfig: { virtualHosts: [{ name: 'v', domains: ['*'], matcher }] } },
    }),
    ...cart,
  ];
  const routeOf = (matcher: object, line: string, tenant: string) => {
    const request = requestOf(line, ...(tenant === '' ? [] : [`x-tenant: ${tenant}`]));
    const { branches } = explainIn(mesh(matcher), request, { start });
    const [branch] = branches;
    return branch?.route ?? `${branch?.kind} ${branch?.status ?? ''}`.trim();
  };
  const tree = {
    matcherTree: {
      input: header('x-tenant'),
      exactMatchMap: {
        map: {
          one: action('Route', answers('one', { prefix: '/a' })),
          two: action('RouteList', {
            routes: [answers('two-a', { prefix: '/a' }), answers('two', { prefix: '/' })],
          }),
        },
      },
    },
    onNoMatch: action('Route', answers('otherwise', { prefix: '/' })),
  };
  const prefixes = {
    matcherTree: {
      input: header(':path'),
      prefixMatchMap: {
        map: {
          '/': action('Route', answers('short', { prefix: '/' })),
          '/shop': action('Route', answers('long', { prefix: '/' })),
        },
      },
    },
  };

  it.each([
    ['a value', tree, 'GET http://a/a', 'one', 'one'],
    ['a route of the action that does not match', tree, 'GET http://a/b', 'one', 'failed 404'],
    ['the first route of a list that matches', tree, 'GET http://a/b', 'two', 'two'],
    ['no value', tree, 'GET http://a/b', '', 'otherwise'],
    ['another value', tree, 'GET http://a/b', 'three', 'otherwise'],
    ['the longest prefix', prefixes, 'GET http://a/shop/1', '', 'long'],
    ['a shorter prefix', prefixes, 'GET http://a/sho', '', 'short'],
    ['no action', { matcherTree: tree.matcherTree }, 'GET http://a/b', '', 'failed 404'],
    [
      'a predicate in CEL, which is not evaluated',
      {
        matcherList: {
          matchers: [
            {
              predicate: {
                singlePredicate: {
                  input: header('x'),
                  customMatch: {
                    typedConfig: { '@type': 'type.googleapis.com/xds.type.matcher.v3.CelMatcher' },
                  },
                },
              },
              onMatch: action('Route', answers('cel', { prefix: '/' })),
            },
          ],
        },
      },
      'GET http://a/b',
      '',
      'unknown',
    ],
  ])('chooses the route by %s', (_, matcher, line, tenant, expected) => {
    expect(routeOf(matcher, line, tenant)).toBe(expected);
  });

  it('states the values that decide', () => {
    const trace = explainIn(mesh(tree), requestOf('GET http://a/a', 'x-tenant: two'), { start });
    expect(linesOf(trace)).toContain(
      'taken matcher tree: the request has header x-tenant "two" @filterChains[0].filters[0].typedConfig.routeConfig.virtualHosts[0].matcher.matcherTree.exactMatchMap.map.two.action.typedConfig',
    );
  });
});
