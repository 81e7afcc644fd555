import { decideJwt } from '@/lib/requests/filters/jwt-authn';
import { check, preflight } from './check-rows';

const providers = {
  a: {},
  b: { fromHeaders: [{ name: 'x-token', valuePrefix: 'jwt ' }] },
  c: { fromParams: ['t'] },
  d: { fromCookies: ['t'] },
};
const jwt = (requires: object | undefined, match: object = { prefix: '/' }): object => ({
  providers,
  rules: [{ match, ...(requires && { requires }) }],
});
const name = (providerName: string) => ({ providerName });
const bearer = { headers: ['authorization: Bearer x.y.z'] };

check('a JWT filter', decideJwt, [
  [
    'provider_name: specify a required provider; the default locations are the header Authorization and the parameter access_token',
    [
      [{ config: jwt(name('a')) }, '401'],
      [{ config: jwt(name('a')), ...bearer }, 'depends 401'],
      [{ config: jwt(name('a')), line: 'GET a/?access_token=x' }, 'depends 401'],
      [{ config: jwt(name('a')), headers: ['authorization: Basic x'] }, '401'],
      [{ config: jwt(name('b')), ...bearer }, '401'],
      [{ config: jwt(name('b')), headers: ['x-token: jwt x'] }, 'depends 401'],
      [{ config: jwt(name('c')), line: 'GET a/?t=x' }, 'depends 401'],
      [{ config: jwt(name('d')), headers: ['cookie: t=x'] }, 'depends 401'],
      [{ config: jwt({ providerAndAudiences: name('a') }) }, '401'],
      [
        { config: { ...jwt(name('a')), providers: { a: { clearRouteCache: true } } }, ...bearer },
        'depends on anything',
      ],
    ],
  ],
  [
    'requires_any: if any one of them passes, the result is passed; requires_all: all of them must pass',
    [
      [{ config: jwt({ requiresAny: { requirements: [name('a'), name('b')] } }) }, '401'],
      [{ config: jwt({ requiresAny: { requirements: [name('a'), name('b')] } }), ...bearer }, 'depends 401'],
      [{ config: jwt({ requiresAny: { requirements: [name('b'), { allowMissing: {} }] } }) }, 'passes'],
      [{ config: jwt({ requiresAll: { requirements: [name('a'), name('b')] } }), ...bearer }, '401'],
      [
        { config: jwt({ requiresAll: { requirements: [name('a'), { allowMissing: {} }] } }), ...bearer },
        'depends 401',
      ],
    ],
  ],
  [
    'allow_missing: satisfied if JWT is missing, but failed if JWT is presented but invalid; allow_missing_or_failed: always',
    [
      [{ config: jwt({ allowMissing: {} }) }, 'passes'],
      [{ config: jwt({ allowMissing: {} }), ...bearer }, 'depends 401'],
      [{ config: jwt({ allowMissingOrFailed: {} }), ...bearer }, 'passes'],
    ],
  ],
  [
    'rules: the first matched rule applies; a rule without a requirement needs no token',
    [
      [{ config: jwt(name('a'), { prefix: '/other' }) }, 'passes'],
      [{ config: jwt(undefined) }, 'passes'],
      [
        {
          config: {
            providers,
            rules: [{ match: { path: '/cart' } }, { match: { prefix: '/' }, requires: name('a') }],
          },
        },
        'passes',
      ],
      [
        {
          config: {
            providers,
            rules: [{ match: { path: '/x' } }, { match: { prefix: '/' }, requires: name('a') }],
          },
        },
        '401',
      ],
      [{ config: { providers, filterStateRules: {} } }, 'depends 401'],
    ],
  ],
  [
    'requirement_name: the requirement of requirement_map; bypass_cors_preflight: preflight requests pass',
    [
      [
        {
          config: {
            providers,
            requirementMap: { r: name('a') },
            rules: [{ match: { prefix: '/' }, requirementName: 'r' }],
          },
        },
        '401',
      ],
      [
        {
          config: { ...jwt({ allowMissing: {} }), requirementMap: { r: name('a') } },
          overrides: [{ requirementName: 'r' }],
        },
        '401',
      ],
      [{ config: jwt(name('a')), overrides: [{ requirementName: 'none' }] }, '403'],
      [{ config: jwt(name('a')), overrides: [{ disabled: true }] }, 'passes'],
      [{ ...preflight, config: { ...jwt(name('a')), bypassCorsPreflight: true } }, 'passes'],
      [{ config: { ...jwt(name('a')), bypassCorsPreflight: true } }, '401'],
    ],
  ],
]);
