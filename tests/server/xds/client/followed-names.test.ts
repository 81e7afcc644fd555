import { describe, expect, test } from 'vitest';
import { CDS, EDS, LDS, RDS, SDS } from '@/lib/xds/resource-type';
import { followedNames, reachableFrom } from '@/server/xds/client/followed-names';

describe('followedNames', () => {
  test('keeps what a gRPC client asks for, and leaves secrets and the like', () => {
    const references = [
      { typeUrl: EDS.typeUrl, name: 'e', how: 'eds' as const, from: 'ads' as const },
      { typeUrl: SDS.typeUrl, name: 's', how: 'tls' as const, from: 'ads' as const },
      { typeUrl: RDS.typeUrl, name: 'r', how: 'rds' as const, from: 'self' as const },
      { typeUrl: EDS.typeUrl, name: 'file', how: 'eds' as const, from: 'path' as const },
      { typeUrl: RDS.typeUrl, name: 'elsewhere', how: 'rds' as const, from: 'api' as const },
      { typeUrl: CDS.typeUrl, name: 'authz', how: 'service' as const, from: null },
    ];
    expect(followedNames(references)).toEqual([
      { typeUrl: EDS.typeUrl, name: 'e' },
      { typeUrl: RDS.typeUrl, name: 'r' },
    ]);
  });
});

describe('reachableFrom', () => {
  const links: Record<string, string[]> = {
    'LDS shop': ['RDS shop-routes'],
    'RDS shop-routes': ['CDS cart', 'CDS agg'],
    'CDS agg': ['CDS cart', 'CDS agg', 'CDS back'],
    'CDS back': ['CDS agg'],
    'CDS cart': ['EDS cart'],
    'CDS orphan': ['EDS orphan'],
  };
  const types: Record<string, string> = {
    LDS: LDS.typeUrl,
    RDS: RDS.typeUrl,
    CDS: CDS.typeUrl,
    EDS: EDS.typeUrl,
  };
  const keyOf = (text: string) => {
    const [service = '', name = ''] = text.split(' ');
    return { typeUrl: types[service] ?? '', name };
  };
  const byKey = new Map(
    Object.entries(links).map(([from, to]) => {
      const { typeUrl, name } = keyOf(from);
      return [`${typeUrl} ${name}`, to.map(keyOf)] as const;
    }),
  );
  const reach = (...roots: string[]) => {
    const reached = reachableFrom(
      roots.map(keyOf),
      ({ typeUrl, name }) => byKey.get(`${typeUrl} ${name}`) ?? [],
    );
    return Object.fromEntries([...reached].map(([typeUrl, names]) => [typeUrl, [...names].sort()]));
  };

  test('goes through every reference once, cycles included', () => {
    expect(reach('LDS shop')).toEqual({
      [LDS.typeUrl]: ['shop'],
      [RDS.typeUrl]: ['shop-routes'],
      [CDS.typeUrl]: ['agg', 'back', 'cart'],
      [EDS.typeUrl]: ['cart'],
    });
  });

  test('clusters that only name each other are not kept', () => {
    expect(reach('CDS cart')).toEqual({ [CDS.typeUrl]: ['cart'], [EDS.typeUrl]: ['cart'] });
  });

  test('nothing comes of nothing', () => {
    expect(reach()).toEqual({});
  });
});
