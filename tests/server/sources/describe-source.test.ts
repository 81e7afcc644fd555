import { describe, expect, it } from 'vitest';
import { declarationOf, describeSource } from '@/server/sources/describe-source';
import { setUpSource } from '@/server/sources/set-up-source';

const serversOf = (targets: readonly string[]) =>
  targets.map((target) => ({ server_uri: target, channel_creds: [{ type: 'insecure' }] }));

/** Declares a probe with the `xds_servers` and `authorities` of a bootstrap. */
function declare(servers: readonly string[], authorities: Readonly<Record<string, readonly string[]>> = {}) {
  const bootstrap = {
    node: { id: 'probe' },
    xds_servers: serversOf(servers),
    authorities: Object.fromEntries(
      Object.entries(authorities).map(([name, own]) => [name, { xds_servers: serversOf(own) }]),
    ),
  };
  const { kind, target, setup } = setUpSource({ kind: 'ads', bootstrap });
  return declarationOf(describeSource({ kind, target, label: target, origin: 'browser' }, setup));
}

describe('declarationOf', () => {
  it('names the servers of a probe if there are several', () => {
    expect(declare(['a:1', 'b:1'])).toMatchObject({
      authorities: [{ authority: null, servers: ['a:1', 'b:1'] }],
    });
    expect(declare(['a:1'])).not.toHaveProperty('authorities');
  });

  it('gives an authority without servers the top-level ones (gRFC A47)', () => {
    expect(declare(['a:1'], { shop: ['c:1'], '': [] })).toMatchObject({
      authorities: [
        { authority: null, servers: ['a:1'] },
        { authority: 'shop', servers: ['c:1'] },
        { authority: '', servers: ['a:1'] },
      ],
    });
  });
});
