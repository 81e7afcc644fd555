import { describe, expect, test } from 'vitest';
import { CDS, ECDS, resourceTypes, VHDS } from '@/lib/xds/resource-type';
import { findV2TypeUrl, findV3TypeUrl, readTypeUrl } from '@/lib/xds/v2-types';

describe('v2 type URLs', () => {
  test('every resource type except ECDS has a v2 type that maps back to it', () => {
    for (const { typeUrl, service } of resourceTypes) {
      const v2 = findV2TypeUrl(typeUrl);
      if (typeUrl === ECDS.typeUrl) expect(v2).toBeUndefined();
      else expect(findV3TypeUrl(v2 ?? ''), service).toBe(typeUrl);
    }
  });

  test('equal the names of the v2 protos', () => {
    expect(findV2TypeUrl(CDS.typeUrl)).toBe('type.googleapis.com/envoy.api.v2.Cluster');
    expect(findV2TypeUrl(VHDS.typeUrl)).toBe('type.googleapis.com/envoy.api.v2.route.VirtualHost');
  });

  test('are read as v3 types and marked; all others are unchanged', () => {
    expect(readTypeUrl('envoy.api.v2.Cluster')).toEqual({ typeUrl: CDS.typeUrl, apiVersion: 'v2' });
    expect(readTypeUrl(CDS.typeUrl)).toEqual({ typeUrl: CDS.typeUrl, apiVersion: 'v3' });
    expect(readTypeUrl('')).toEqual({ typeUrl: '', apiVersion: 'v3' });
    expect(readTypeUrl('type.googleapis.com/made.Up')).toMatchObject({ apiVersion: 'v3' });
  });
});
