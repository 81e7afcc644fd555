import { describe, expect, it } from 'vitest';
import { Field } from '@/lib/validate/field';
import { parseFieldPath } from '@/lib/views/findings/parse-field-path';

describe('parseFieldPath', () => {
  it.each([
    ['', []],
    ['name', ['name']],
    ['endpoints[0].locality', ['endpoints', 0, 'locality']],
    ['a[1][2].b', ['a', 1, 2, 'b']],
    ['metadata.filterMetadata["envoy.lb"].x', ['metadata', 'filterMetadata', 'envoy.lb', 'x']],
  ])('reads %s', (path, steps) => {
    expect(parseFieldPath(path)).toEqual(steps);
  });

  it.each(['a "quoted" key', '', 'a]b', '0'])('parses a path with the key %j', (key) => {
    const [[, field] = []] = new Field({ map: { [key]: 1 } }).at('map').entries();
    expect(parseFieldPath(field?.path ?? '')).toEqual(['map', key]);
  });
});
