import { describe, expect, test } from 'vitest';
import { CDS, ECDS, resourceTypes, VHDS } from '@/lib/xds/resource-type';
import { findV2TypeUrl, findV3TypeUrl, readTypeUrl } from '@/lib/xds/v2-types';

describe('v2 type URLs', () => {
  test('every resource type but ECDS, which is younger, has a twin; there and back it is the same type', () => {
    for (const { typeUrl, service } of resourceTypes) {
      const v2 = findV2TypeUrl(typeUrl);
      if (typeUrl === ECDS.typeUrl) expect(v2).toBeUndefined();
      else expect(findV3TypeUrl(v2 ?? ''), service).toBe(typeUrl);
    }
  });

  test('are spelled as the v2 protos name their messages', () => {
    expect(findV2TypeUrl(CDS.typeUrl)).toBe('type.googleapis.com/envoy.api.v2.Cluster');
    expect(findV2TypeUrl(VHDS.typeUrl)).toBe('type.googleapis.com/envoy.api.v2.route.VirtualHost');
  });

  test('are read as their twins and marked; all others stay what they are', () => {
    expect(readTypeUrl('envoy.api.v2.Cluster')).toEqual({ typeUrl: CDS.typeUrl, apiVersion: 'v2' });
    expect(readTypeUrl(CDS.typeUrl)).toEqual({ typeUrl: CDS.typeUrl, apiVersion: 'v3' });
    expect(readTypeUrl('')).toEqual({ typeUrl: '', apiVersion: 'v3' });
    expect(readTypeUrl('type.googleapis.com/made.Up')).toMatchObject({ apiVersion: 'v3' });
  });
});
