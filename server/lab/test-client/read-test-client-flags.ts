import type { RpcType } from '@/lib/observation/rpc-types';
import type { TestConfiguration } from './test-calls';

const text = (usual: string) => ({ type: 'string', default: usual }) as const;

/** The flags of the gRPC test description, with its defaults. */
export const testClientFlags = {
  server: text('xds:///svc'),
  stats_port: text('8081'),
  qps: text('1'),
  rpc: text('UnaryCall'),
  metadata: text(''),
  rpc_timeout_sec: text('20'),
  secure_mode: text('false'),
} as const;

interface TestClientSettings {
  readonly target: string;
  readonly statsPort: number;
  readonly qps: number;
  /** Channels have xDS credentials, with plaintext as their fallback. */
  readonly isSecure: boolean;
  readonly configuration: TestConfiguration;
}

/** Throws an error with the expected and the actual value. */
export function readTestClientFlags(
  flags: Readonly<Record<keyof typeof testClientFlags, string>>,
): TestClientSettings {
  const metadata = flags.metadata === '' ? [] : flags.metadata.split(',');
  return {
    target: flags.server,
    statsPort: numberOf('stats_port', flags.stats_port, 65_535),
    qps: numberOf('qps', flags.qps, 10_000),
    isSecure: flags.secure_mode === 'true',
    configuration: {
      types: flags.rpc.split(',').map(typeOf),
      metadata: metadata.map((entry) => {
        const [method = '', key = '', ...value] = entry.split(':');
        return { type: typeOf(method), key, value: value.join(':') };
      }),
      timeoutMs: numberOf('rpc_timeout_sec', flags.rpc_timeout_sec, 3_600) * 1_000,
    },
  };
}

function typeOf(method: string): RpcType {
  if (method === 'EmptyCall') return 'EMPTY_CALL';
  if (method === 'UnaryCall') return 'UNARY_CALL';
  throw new Error(`--rpc, --metadata: expected EmptyCall or UnaryCall, got "${method}"`);
}

function numberOf(flag: string, value: string, most: number): number {
  const number = Number(value);
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  throw new Error(`--${flag}: expected a whole number from 1 to ${most}, got "${value}"`);
}
