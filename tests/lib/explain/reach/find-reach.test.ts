import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import { matchRoutes } from '@/lib/explain/match-routes';
import { findReach, type Reach } from '@/lib/explain/reach/find-reach';
import { FieldReader } from '@/lib/model/field-reader';
import { type ExplainRequest, headersOf } from '@/lib/requests/request';
import { newestOf, type Profile } from '@/lib/xds/profile';
import { drawnRequest } from '../../../peers/requests/draw-pairs';
import { routeMatch } from '../../../peers/requests/draw-routes';

const reachOf = (matches: readonly object[], profile: Profile = newestOf('envoy')) =>
  runSteps(
    findReach({
      ...{ profile, authority: 'shop.example', accepts: () => true, ignored: new Set<number>() },
      routes: matches.map((matcher, at) => ({ name: `r${at}`, matcher })),
    }),
  ).map((each) => each as Reach);

/** As in "r3 by r2", "r4 perhaps". */
const linesOf = (matches: readonly object[], profile?: Profile) =>
  reachOf(matches, profile).map(
    (each, at) =>
      `r${at} ${each.kind}${each.kind !== 'reached' && each.by !== undefined ? ` r${each.by}` : ''}`,
  );

function winnerOf(matches: readonly object[], request: ExplainRequest, profile = newestOf('envoy')) {
  const routes = matches.map((match) => FieldReader.open({ match }, []));
  const of = { request, find: headersOf(request, profile), profile };
  return matchRoutes(routes, of, new Map()).candidates.map(({ index }) => index);
}

const header = (name: string, exact: string) => ({ name, stringMatch: { exact } });

describe('findReach()', () => {
  it('finds the nine routes of shared/reports/09 that Envoy 1.40.0 never reaches', () => {
    const get = header(':method', 'GET');
    expect(
      linesOf([
        { prefix: '/api/store' },
        { prefix: '/api/store/admin' },
        { pathSeparatedPrefix: '/cart' },
        { path: '/cart' },
        { prefix: '/cart/' },
        { safeRegex: { regex: '/img/.*' } },
        { prefix: '/img/logo' },
        { prefix: '/Case', caseSensitive: false },
        { prefix: '/case/x' },
        { prefix: '/', headers: [get] },
        { prefix: '/', headers: [get, { name: 'x-a', presentMatch: true }] },
        { prefix: '/pay', headers: [get] },
        { prefix: '/' },
        { prefix: '/late' },
        { path: '/exact-late' },
      ]),
    ).toEqual([
      ...[
        'r0 reached',
        'r1 never r0',
        'r2 reached',
        'r3 never r2',
        'r4 never r2',
        'r5 reached',
        'r6 never r5',
      ],
      ...['r7 reached', 'r8 never r7', 'r9 reached', 'r10 never r9', 'r11 never r9', 'r12 reached'],
      ...['r13 never r12', 'r14 never r12'],
    ]);
  });

  it.each<[string, readonly object[], string]>([
    ['a request beside an exact path', [{ path: '/a' }, { prefix: '/a' }], 'r1 reached'],
    ['another method', [{ prefix: '/', headers: [header(':method', 'GET')] }, { prefix: '/' }], 'r1 reached'],
    [
      'a header that the earlier route forbids',
      [{ prefix: '/', headers: [{ name: 'x-a', presentMatch: false }] }, { prefix: '/' }],
      'r1 reached',
    ],
    [
      'a query parameter, after a route for its absence',
      [{ prefix: '/', queryParameters: [{ name: 'q', presentMatch: false }] }, { prefix: '/a' }],
      'r1 reached',
    ],
    [
      'a request that is no gRPC request',
      [
        { prefix: '/', grpc: {} },
        { prefix: '/', headers: [{ name: 'content-type', presentMatch: true }] },
      ],
      'r1 reached',
    ],
    [
      'text for a regular expression',
      [{ prefix: '/v1/' }, { safeRegex: { regex: '/(v1|v2)/[a-z]{2,3}\\d*' } }],
      'r1 reached',
    ],
    [
      'a regular expression that covers another one',
      [{ safeRegex: { regex: '/v\\d/.*' } }, { safeRegex: { regex: '/v1/x.*' } }],
      'r1 perhaps r0',
    ],
    [
      'two routes that together cover it',
      [
        { prefix: '/', headers: [header('x-a', '1')] },
        {
          prefix: '/',
          headers: [
            { name: 'x-a', treatMissingHeaderAsEmpty: true, stringMatch: { exact: '1' }, invertMatch: true },
          ],
        },
        { prefix: '/' },
      ],
      'r2 perhaps r1',
    ],
    [
      'a share that the earlier route leaves',
      [{ prefix: '/', runtimeFraction: { defaultValue: { numerator: 10 } } }, { prefix: '/' }],
      'r1 reached',
    ],
    [
      'the same share of requests, which one random number selects',
      Array(2).fill({ prefix: '/', runtimeFraction: { defaultValue: { numerator: 10 } } }),
      'r1 perhaps r0',
    ],
    ['no share', [{ prefix: '/', runtimeFraction: { defaultValue: { numerator: 0 } } }], 'r0 never'],
    [
      'metadata of the earlier route',
      [{ prefix: '/', dynamicMetadata: [{}] }, { prefix: '/' }],
      'r1 perhaps r0',
    ],
    ['its own metadata', [{ prefix: '/', dynamicMetadata: [{}] }], 'r0 perhaps'],
    ['CONNECT', [{ prefix: '/' }, { connectMatcher: {} }], 'r1 reached'],
  ])('decides a route by %s', (_, matches, last) => {
    expect(linesOf(matches).at(-1)).toBe(last);
  });

  it('sends a gRPC client only paths of a method', () => {
    const [first] = reachOf([{ prefix: '/shop' }], newestOf('go'));
    expect(first).toMatchObject({ kind: 'reached', witness: { method: 'POST', path: '/shop/x' } });
  });

  it('agrees with matchRoutes() on each witness of random tables', () => {
    fc.assert(
      fc.property(fc.array(routeMatch, { minLength: 2, maxLength: 14 }), (matches) => {
        for (const [at, reach] of reachOf(matches).entries()) {
          if (reach.witness === undefined) continue;
          const winners = winnerOf(matches, reach.witness);
          if (reach.kind === 'reached') expect(winners).toContain(at);
          else expect(winners).not.toEqual([at]);
          if (reach.kind === 'never') expect(winners.at(-1)).toBe(reach.by);
        }
      }),
      { numRuns: 80 },
    );
  });

  it('never calls a route unreachable that a random request reaches', () => {
    fc.assert(
      fc.property(
        fc.array(routeMatch, { minLength: 2, maxLength: 14 }),
        fc.array(drawnRequest, { minLength: 40, maxLength: 40 }),
        (matches, requests) => {
          const never = new Set(reachOf(matches).flatMap(({ kind }, at) => (kind === 'never' ? [at] : [])));
          for (const request of requests)
            for (const index of winnerOf(matches, request)) expect(never.has(index ?? -1)).toBe(false);
        },
      ),
      { numRuns: 60 },
    );
  });
});
