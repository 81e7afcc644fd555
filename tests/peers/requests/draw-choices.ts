import fc from 'fast-check';
import { drawMatcher } from './draw-matcher';
import { type Drawn, drawConfigs } from './draw-pairs';
import { type DrawnRoute, matchRoute } from './match-route';

type Json = Readonly<Record<string, unknown>>;

const oneOf = fc.constantFrom;
const routeType = 'type.googleapis.com/envoy.config.route.v3.';
/** The action is a Route or a RouteList of the given routes. */
function actionOf(routes: readonly Json[]): fc.Arbitrary<Json> {
  return fc.record({ from: fc.nat(routes.length - 1), isList: fc.boolean() }).map(({ from, isList }) => ({
    name: 'action',
    typedConfig: isList
      ? { '@type': `${routeType}RouteList`, routes: routes.slice(from) }
      : { '@type': `${routeType}Route`, ...routes[from] },
  }));
}

const fragment: fc.Arbitrary<Json> = oneOf(
  { name: 'x-color', index: 0 },
  { name: 'x-color', elementSeparator: ',', index: 0 },
  { name: 'x-color', elementSeparator: ',', index: 1 },
  { name: 'X-Version', index: 0 },
  { name: 'cookie', elementSeparator: '; ', element: { separator: '=', key: 'session' } },
  { name: 'cookie', elementSeparator: '; ', element: { separator: '=', key: 'lang' } },
).map((headerValueExtractor) => ({ headerValueExtractor }));
const stringKey = oneOf('blue', 'blue', 'a', 'b', '1', 'en', 'true', 'a,b');

function scopesOf({ virtualHosts, table }: Drawn): fc.Arbitrary<Json> {
  return fc.integer({ min: 1, max: 2 }).chain((length) =>
    fc
      .record({
        fragments: fc.array(fragment, { minLength: length, maxLength: length }),
        keys: fc.uniqueArray(fc.array(stringKey, { minLength: length, maxLength: length }), {
          minLength: 3,
          maxLength: 8,
          selector: (key) => key.join(),
        }),
      })
      .map(({ fragments, keys }) => ({
        name: 'scopes',
        scopeKeyBuilder: { fragments },
        scopedRouteConfigurationsList: {
          scopedRouteConfigurations: keys.map((key, at) => ({
            name: `scope-${at}`,
            key: { fragments: key.map((text) => ({ stringKey: text })) },
            routeConfiguration: {
              ...{ name: `scope-${at}`, validateClusters: false, ...table },
              virtualHosts: virtualHosts.map((host) => ({
                ...host,
                routes: (host.routes as readonly Json[]).map((route) => ({
                  ...route,
                  name: `s${at}${route.name}`,
                })),
              })),
            },
          })),
        },
      })),
  );
}

const colors = ['blue', 'a,b', '1', 'true'];

/** The virtual host accepts each authority, and most requests have values that occur in keys. */
function chooseOften({ virtualHosts, requests, ...drawn }: Drawn): Drawn {
  return {
    ...drawn,
    table: {},
    virtualHosts: virtualHosts.slice(0, 1).map((host) => ({ ...host, domains: ['*'] })),
    requests: requests.map((request, at) => {
      const color = colors[at % (colors.length + 1)];
      return { ...request, headers: [...(color ? [['x-color', color] as const] : []), ...request.headers] };
    }),
  };
}

/** Virtual hosts with matcher trees, and scoped routes. */
export function drawChoices(seed: number, configs: number, requestsOfEach: number): Drawn[] {
  return drawConfigs(seed + 1, configs, requestsOfEach)
    .map(chooseOften)
    .map((drawn, at) => {
      const of = { seed: seed + at, numRuns: 1 };
      if (at % 2 === 0) {
        const [scopedRoutes] = fc.sample(scopesOf(drawn), of);
        return { ...drawn, manager: { ...drawn.manager, scopedRoutes } };
      }
      const routes = drawn.virtualHosts.flatMap((host) => host.routes as readonly DrawnRoute[]);
      const [matcher] = fc.sample(drawMatcher(actionOf(routes), 2, 'headers'), of);
      const virtualHosts = drawn.virtualHosts.map(({ routes: _, ...host }) => ({ ...host, matcher }));
      const requests = drawn.requests.map((request, nth) =>
        nth % 4 === 0 ? request : matchRoute(request, routes, nth),
      );
      return { ...drawn, virtualHosts, requests };
    });
}
