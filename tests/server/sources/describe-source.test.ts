import { describe, expect, it } from 'vitest';
import { declarationOf } from '@/server/sources/describe-source';
import type { SourceDescription } from '@/server/sources/source-registry';

const choices = { transport: 'ads', apiVersion: 'v3', mode: 'observe', profile: 'go', errorModel: 'pre-a88' };
const serverOf = (target: string) => ({ target, security: 'plain', sendsToken: false });

function declare(servers: readonly string[], authorities: readonly object[] = []) {
  const settings = {
    ...choices,
    ...{ nodeId: 'probe', listeners: [], resources: {} },
    ...{ servers: servers.map(serverOf), authorities },
  };
  return declarationOf({ kind: 'ads', target: servers[0], settings } as unknown as SourceDescription);
}

describe('declarationOf', () => {
  it('names the servers of a probe if there are several', () => {
    expect(declare(['a:1', 'b:1'])).toMatchObject({
      authorities: [{ authority: null, servers: ['a:1', 'b:1'] }],
    });
    expect(declare(['a:1'])).not.toHaveProperty('authorities');
  });

  it('gives an authority without servers the top-level ones (gRFC A47)', () => {
    const named = [
      { name: 'shop', servers: ['c:1'] },
      { name: '', servers: [] },
    ];
    expect(declare(['a:1'], named)).toMatchObject({
      authorities: [
        { authority: null, servers: ['a:1'] },
        { authority: 'shop', servers: ['c:1'] },
        { authority: '', servers: ['a:1'] },
      ],
    });
  });
});
