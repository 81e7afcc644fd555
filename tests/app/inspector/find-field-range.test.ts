import { describe, expect, it } from 'vitest';
import { findFieldRange } from '@/app/_components/inspector/find-field-range';

const yaml = `name: a
endpoints:
  - locality:
      region: r
    lbEndpoints:
      - loadBalancingWeight: 0
      - healthStatus: DRAINING
metadata:
  envoy.lb:
    x: 1
`;
const json = JSON.stringify(
  {
    name: 'a',
    endpoints: [
      { locality: { region: 'r' }, lbEndpoints: [{ loadBalancingWeight: 0 }, { healthStatus: 'DRAINING' }] },
    ],
    metadata: { 'envoy.lb': { x: 1 } },
  },
  null,
  2,
);

async function textAt(text: string, path: string): Promise<string | undefined> {
  const range = await findFieldRange(text, path);
  return range && text.slice(range.from, range.to);
}

describe.each([
  ['YAML', yaml, (name: string) => name],
  ['JSON', json, (name: string) => `"${name}"`],
])('findFieldRange in %s', (_notation, text, key) => {
  it('finds a field', async () => {
    expect(await textAt(text, 'endpoints[0].lbEndpoints[0].loadBalancingWeight')).toBe(
      `${key('loadBalancingWeight')}: 0`,
    );
  });

  it('finds a list item, and a key that contains a dot', async () => {
    expect(await textAt(text, 'endpoints[0].lbEndpoints[1]')).toContain('DRAINING');
    expect(await textAt(text, 'metadata["envoy.lb"]')).toContain('1');
  });

  it('finds the closest parent of an absent field', async () => {
    expect(await textAt(text, 'endpoints[0].locality.zone.x')).toContain(key('locality'));
    expect(await findFieldRange(text, 'nothing')).toBeUndefined();
  });

  it('finds nothing for the empty path', async () => {
    expect(await findFieldRange(text, '')).toBeUndefined();
  });
});
