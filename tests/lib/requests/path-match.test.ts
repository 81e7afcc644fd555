import { describe, expect, it } from 'vitest';
import { requestOf, verdictOf } from './matched-requests';

const template = (pathTemplate: string) => ({
  pathMatchPolicy: {
    typedConfig: {
      '@type': 'type.googleapis.com/envoy.extensions.path.match.uri_template.v3.UriTemplateMatchConfig',
      pathTemplate,
    },
  },
});
const regex = (text: string) => ({ safeRegex: { regex: text } });
const anyCase = { caseSensitive: false };

/** Each group has the sentence of the API that its rows implement: match, path, whether it matches. */
const groups: readonly [sentence: string, rows: readonly [match: object, path: string, holds: boolean][]][] =
  [
    [
      'prefix: the route is a prefix rule meaning that the prefix must match the beginning of the :path header',
      [
        [{ prefix: '/' }, '/', true],
        [{ prefix: '/' }, '/cart', true],
        [{ prefix: '/cart' }, '/cart', true],
        [{ prefix: '/cart' }, '/carts', true],
        [{ prefix: '/cart' }, '/cart/1', true],
        [{ prefix: '/cart' }, '/car', false],
        [{ prefix: '/cart/' }, '/cart', false],
        [{ prefix: '/cart' }, '/shop/cart', false],
        [{ prefix: '/cart' }, '/Cart', false],
        [{ prefix: '/cart?x' }, '/cart?x', false],
        [{ prefix: '' }, '/anything', true],
      ],
    ],
    [
      'path: the route is an exact path rule meaning that the path must exactly match the :path header once the query string is removed',
      [
        [{ path: '/cart' }, '/cart', true],
        [{ path: '/cart' }, '/cart?id=1', true],
        [{ path: '/cart' }, '/cart/', false],
        [{ path: '/cart' }, '/cart/1', false],
        [{ path: '/cart' }, '/CART', false],
        [{ path: '/a?b' }, '/a?b', false],
        [{ path: '/' }, '/?q', true],
      ],
    ],
    [
      'case_sensitive: indicates that prefix/path matching should be case sensitive; the default is true; ignored for safe_regex matching',
      [
        [{ prefix: '/Cart', ...anyCase }, '/cART/1', true],
        [{ path: '/Cart', ...anyCase }, '/cart', true],
        [{ path: '/Cart', caseSensitive: true }, '/cart', false],
        [{ pathSeparatedPrefix: '/Cart', ...anyCase }, '/cart/1', true],
        [{ ...regex('/Cart'), ...anyCase }, '/cart', false],
      ],
    ],
    [
      'path_separated_prefix: the path must either equal the prefix or begin with it, followed by "/"',
      [
        [{ pathSeparatedPrefix: '/api/dev' }, '/api/dev', true],
        [{ pathSeparatedPrefix: '/api/dev' }, '/api/dev/', true],
        [{ pathSeparatedPrefix: '/api/dev' }, '/api/dev/v1', true],
        [{ pathSeparatedPrefix: '/api/dev' }, '/api/dev?param=true', true],
        [{ pathSeparatedPrefix: '/api/dev' }, '/api/developer', false],
        [{ pathSeparatedPrefix: '/api/dev' }, '/api', false],
      ],
    ],
    [
      'safe_regex: the entire path (without the query string) must match the regex; the regex is RE2',
      [
        [regex('/b[io]t'), '/bit', true],
        [regex('/b[io]t'), '/bot', true],
        [regex('/b[io]t'), '/bite', false],
        [regex('/b[io]t'), '/bit/bot', false],
        [regex('/a|/b'), '/b', true],
        [regex('/a|/b'), '/ab', false],
        [regex('/.*'), '/x?q=1', true],
        [regex('/x\\?q=1'), '/x?q=1', false],
        [regex('(?i)/CART'), '/cart', true],
        [regex('/\\d{2,3}'), '/12', true],
        [regex('/\\d{2,3}'), '/1', false],
        [regex('^/cart$'), '/cart', true],
        [regex('/\\pL+'), '/abc', true],
        [regex('/ab?'), '/a', true],
        [regex('/ab*c'), '/ac', true],
        [regex('/ab{0,1}'), '/a', true],
        [regex('/ab+'), '/a', false],
        [regex('/ab+'), '/abb', true],
        [regex('/a/b|/c'), '/c', true],
      ],
    ],
    [
      'uri_template: * matches exactly one path segment, ** zero or more; {name} binds a segment, {name=pattern} a pattern',
      [
        [template('/videos/*'), '/videos/1', true],
        [template('/videos/*'), '/videos/', false],
        [template('/videos/*'), '/videos/1/2', false],
        [template('/videos/**'), '/videos/', true],
        [template('/videos/**'), '/videos/1/2', true],
        [template('/videos/**'), '/videos', false],
        [template('/{user}/cart'), '/bob/cart', true],
        [template('/{user}/cart'), '/cart', false],
        [template('/{rest=**}'), '/a/b/c', true],
        [template('/{a=x/*}/end'), '/x/1/end', true],
        [template('/{a=x/*}/end'), '/y/1/end', false],
        [template('/*'), '/a b', false],
        [template('/a.b'), '/aXb', false],
      ],
    ],
    [
      'connect_matcher: if this is used as the matcher, the matcher will only match CONNECT or extended CONNECT requests',
      [[{ connectMatcher: {} }, '/', false]],
    ],
  ];

describe('the path of a request', () => {
  for (const [sentence, rows] of groups)
    it.each(rows)(`${sentence}: %o, %s`, (match, path, holds) => {
      const verdict = verdictOf(match, requestOf(`GET shop.example${path}`));
      expect(verdict).toMatch(holds ? /^match$/ : /^no-match: (path|method) /);
    });

  it('is named with what it must be', () => {
    expect(verdictOf({ prefix: '/Cart' }, requestOf('GET shop.example/cart?id=1'))).toBe(
      'no-match: path "/cart" must begin with "/Cart"',
    );
    expect(verdictOf({ path: '/a', ...anyCase }, requestOf('GET a/b'))).toBe(
      'no-match: path "/b" must be "/a" in any case',
    );
    expect(verdictOf(regex('/a|b'), requestOf('GET a/b'))).toBe(
      'no-match: path "/b" must match "/a|b" as a whole',
    );
  });

  it('is matched by CONNECT only with connect_matcher if there is none', () => {
    const connect = { ...requestOf('CONNECT shop.example:443'), path: '' };
    expect(verdictOf({ connectMatcher: {} }, connect)).toBe('match');
    expect(verdictOf({ prefix: '' }, connect)).toMatch(/^no-match: .*connect_matcher/);
  });

  it('is compared in any case by Java if case_sensitive is absent', () => {
    const of = (client: 'java' | 'go', more: object) =>
      verdictOf({ path: '/A/B', ...more }, requestOf('POST shop/a/b'), client);
    expect([of('java', {}), of('java', { caseSensitive: false })]).toEqual(['match', 'match']);
    expect(of('java', { caseSensitive: true })).toMatch(/^no-match/);
    expect(of('go', {})).toMatch(/^no-match/);
  });

  it('is not decided by a matcher that is not evaluated', () => {
    const custom = { pathMatchPolicy: { typedConfig: { '@type': 'type.googleapis.com/example.Matcher' } } };
    expect(verdictOf(custom, requestOf('GET a/b'))).toBe('depends: example.Matcher is not evaluated');
    expect(verdictOf(regex('('), requestOf('GET a/b'))).toMatch(/^depends: .* does not compile/);
  });
});
