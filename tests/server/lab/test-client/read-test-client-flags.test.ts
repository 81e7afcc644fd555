import { expect, it } from 'vitest';
import { readTestClientFlags } from '@/server/lab/test-client/read-test-client-flags';

const flags = {
  ...{ server: 'xds:///svc', stats_port: '8081', qps: '100', rpc: 'UnaryCall' },
  ...{ metadata: '', rpc_timeout_sec: '20', secure_mode: 'false' },
};

it('reads the flags of the test description', () => {
  expect(
    readTestClientFlags({
      ...flags,
      rpc: 'EmptyCall,UnaryCall',
      metadata: 'EmptyCall:xds_md:a:b,UnaryCall:xds_md_numeric:159',
    }),
  ).toEqual({
    ...{ target: 'xds:///svc', statsPort: 8_081, qps: 100, isSecure: false },
    configuration: {
      types: ['EMPTY_CALL', 'UNARY_CALL'],
      metadata: [
        { type: 'EMPTY_CALL', key: 'xds_md', value: 'a:b' },
        { type: 'UNARY_CALL', key: 'xds_md_numeric', value: '159' },
      ],
      timeoutMs: 20_000,
    },
  });
});

it('states the expected and the actual value', () => {
  expect(() => readTestClientFlags({ ...flags, qps: '0' })).toThrow(
    '--qps: expected a whole number from 1 to 10000, got "0"',
  );
  expect(() => readTestClientFlags({ ...flags, rpc: 'Ping' })).toThrow(
    '--rpc, --metadata: expected EmptyCall or UnaryCall, got "Ping"',
  );
});
