import { describe, expect, it } from 'vitest';
import { interopCases } from '@/lib/interop/cases/interop-cases';
import { findProgramClient, findSupportClaims } from '@/lib/interop/claimed-support';

const release = (minor: number) => ({ major: 1, minor });

const claimsOf = (...args: Parameters<typeof findSupportClaims>) =>
  findSupportClaims(...args).map(({ source, isSupported, since }) => [source, isSupported, since]);

describe('what gRPC claims of a release', () => {
  it('follows the first release with the feature, of its table and of its tests', () => {
    expect(claimsOf('outlier_detection', 'node', release(7))).toEqual([
      ['feature table', true, '1.7'],
      ['psm-interop', true, '1.6'],
    ]);
    expect(claimsOf('explicit_outlier_detection', 'core', release(50))).toEqual([
      ['feature table', false, '1.51'],
      ['psm-interop', true, '1.48'],
    ]);
    expect(claimsOf('circuit_breaking', 'java', release(36))[0]).toEqual(['feature table', false, '1.37.1']);
    expect(claimsOf('fault_always_abort', 'node', release(3)).map(([, isSupported]) => isSupported)).toEqual([
      false,
      false,
    ]);
  });

  it('is every release of the tests for a case without a gate, and none without a release in the table', () => {
    expect(claimsOf('ping_pong', 'java', release(30))).toEqual([
      ['feature table', true, '1.30'],
      ['psm-interop', true, undefined],
    ]);
    expect(claimsOf('fallback_mid_update', 'node', release(14))).toEqual([
      ['feature table', false, undefined],
      ['psm-interop', false, undefined],
    ]);
    expect(claimsOf('custom_lb', 'core', release(85))).toEqual([
      ['feature table', true, '1.55'],
      ['psm-interop', false, undefined],
    ]);
    expect(claimsOf('affinity_header', 'node', release(14))[1]).toEqual(['psm-interop', false, undefined]);
    expect(claimsOf('affinity', 'node', release(14))[1]).toEqual(['psm-interop', true, '1.10']);
    expect(claimsOf('federation', 'node', release(14))[0]).toEqual(['feature table', false, undefined]);
  });

  it('states the feature of every case', () => {
    const first = release(0);
    const inAll = interopCases.flatMap(({ name }) =>
      claimsOf(name, 'go', first)[0]?.[2] === undefined ? [name] : [],
    );
    expect(inAll).toEqual([]);
  });

  it('is unknown for Envoy, another program, and a release that is none', () => {
    expect(claimsOf('ping_pong', 'envoy', release(40))).toEqual([]);
    expect(claimsOf('ping_pong', undefined, release(40))).toEqual([]);
    expect(claimsOf('ping_pong', 'go', undefined)).toEqual([]);
  });
});

it('the name of a program states its client', () => {
  const names = ['grpc-js', 'grpc-go', 'grpc-java', 'c-core', 'grpc-python', 'my-client', 'cargo-mesh'];
  expect(names.map(findProgramClient)).toEqual(['node', 'go', 'java', 'core', 'core', undefined, undefined]);
});
