import { describe, expect, it } from 'vitest';
import { findProgramClient, findSupportClaim } from '@/lib/interop/claimed-support';

const release = (minor: number) => ({ major: 1, minor });

describe('what gRPC claims of a release', () => {
  it('follows the first release with the feature', () => {
    expect(findSupportClaim('outlier_detection', 'go', release(50))).toEqual({
      isSupported: true,
      since: 50,
    });
    expect(findSupportClaim('explicit_outlier_detection', 'go', release(49))).toEqual({
      isSupported: false,
      since: 50,
    });
    expect(findSupportClaim('fault_always_abort', 'node', release(3))).toMatchObject({ isSupported: false });
  });

  it('is every release for a case without a gate, and none for a feature that a client never had', () => {
    expect(findSupportClaim('ping_pong', 'java', release(30))).toEqual({ isSupported: true });
    expect(findSupportClaim('fallback_mid_update', 'node', release(14))).toEqual({ isSupported: false });
    expect(findSupportClaim('custom_lb', 'core', release(85))).toEqual({ isSupported: false });
    expect(findSupportClaim('affinity_header', 'node', release(14))).toEqual({ isSupported: false });
    expect(findSupportClaim('affinity', 'node', release(14))).toEqual({ isSupported: true, since: 10 });
    expect(findSupportClaim('custom_lb', 'node', release(14))).toEqual({ isSupported: true, since: 10 });
  });

  it('is unknown for Envoy, another program, and a release that is none', () => {
    expect(findSupportClaim('ping_pong', 'envoy', release(40))).toBeUndefined();
    expect(findSupportClaim('ping_pong', undefined, release(40))).toBeUndefined();
    expect(findSupportClaim('ping_pong', 'go', undefined)).toBeUndefined();
  });
});

it('the name of a program states its client', () => {
  const names = ['grpc-js', 'grpc-go', 'grpc-java', 'c-core', 'grpc-python', 'my-client', 'cargo-mesh'];
  expect(names.map(findProgramClient)).toEqual(['node', 'go', 'java', 'core', 'core', undefined, undefined]);
});
