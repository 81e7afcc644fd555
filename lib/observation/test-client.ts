import type * as z from 'zod';
import type { EpochMs } from '../xds/units';
import type { ReadonlyDeep } from './readonly-deep';
import type {
  methodCounts,
  rpcBlock,
  rpcConfiguration,
  serverServing,
  testClient,
} from './test-client-schemas';

export type MethodCounts = ReadonlyDeep<z.infer<typeof methodCounts>>;
export type RpcBlock = ReadonlyDeep<z.infer<typeof rpcBlock>>;
export type RpcConfiguration = ReadonlyDeep<z.infer<typeof rpcConfiguration>>;
export type ServerServing = ReadonlyDeep<z.infer<typeof serverServing>>;
export type TestClient = ReadonlyDeep<z.infer<typeof testClient>>;

/** The newest counts and those before them. */
export function addCounts(
  known: TestClient | undefined,
  { at, methods }: { readonly at: EpochMs; readonly methods: readonly MethodCounts[] },
): TestClient {
  const before = known?.counts;
  const previous = before && { at: before.at, methods: before.methods };
  return { ...known, counts: { at, methods, ...(previous && { previous }) } };
}

/** Limits the servers that are kept: the ones set last. */
const maxServers = 100;

/** The newest setting of each server, the last one at the end. */
export function addServer(
  known: TestClient | undefined,
  { at, address, isServing }: ServerServing & { readonly at: EpochMs },
): TestClient {
  const others = known?.servers?.filter((each) => each.address !== address) ?? [];
  return { ...known, servers: [...others, { at, address, isServing }].slice(-maxServers) };
}
