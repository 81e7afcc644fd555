import { describe, expect, test } from 'vitest';
import { CDS, ECDS, RDS, resourceTypes, SRDS, VHDS } from '@/lib/xds/resource-type';
import { findRestPath, findTypeOfRestPath } from '@/lib/xds/rest-path';

describe('REST paths', () => {
  test('are those of the xDS protocol', () => {
    expect(resourceTypes.map(({ typeUrl }) => findRestPath(typeUrl, 'v3'))).toEqual([
      '/v3/discovery:listeners',
      '/v3/discovery:routes',
      '/v3/discovery:scoped-routes',
      undefined,
      '/v3/discovery:clusters',
      '/v3/discovery:endpoints',
      '/v3/discovery:secrets',
      '/v3/discovery:runtime',
      '/v3/discovery:extension_configs',
    ]);
    expect(findRestPath(RDS.typeUrl, 'v2')).toBe('/v2/discovery:routes');
  });

  test('map back to their types', () => {
    expect(findTypeOfRestPath('/v2/discovery:scoped-routes')).toEqual({
      typeUrl: SRDS.typeUrl,
      apiVersion: 'v2',
    });
    expect(findTypeOfRestPath('/v3/discovery:extension_configs')).toEqual({
      typeUrl: ECDS.typeUrl,
      apiVersion: 'v3',
    });
    expect(findTypeOfRestPath('/v3/discovery:clusters')?.typeUrl).toBe(CDS.typeUrl);
  });

  test('do not exist for types that REST does not support', () => {
    expect(findRestPath(VHDS.typeUrl, 'v3')).toBeUndefined();
    expect(findRestPath('type.googleapis.com/acme.Unknown', 'v3')).toBeUndefined();
    expect(findTypeOfRestPath('/v3/discovery:virtual-hosts')).toBeUndefined();
    expect(findTypeOfRestPath('/v4/discovery:clusters')).toBeUndefined();
  });
});
