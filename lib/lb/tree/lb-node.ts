import type * as z from 'zod';
import type { JsonObject } from '../../diff/json-object';
import type { ReadonlyDeep } from '../../observation/readonly-deep';
import type { lbEndpoint, lbPolicy } from './lb-schemas';

export type LbEndpoint = Readonly<z.infer<typeof lbEndpoint>>;
type LbPolicy = ReadonlyDeep<z.infer<typeof lbPolicy>>;
export type ListedPolicy = LbPolicy['listed'][number];
/** State of a child of a priority policy, derived from EDS. */
export type Standing = NonNullable<LbPolicy['standing']>;

export interface LbNode extends LbPolicy {
  /** Its entry in the list of a service config, with everything inside; absent if the client writes none. */
  readonly config?: JsonObject | undefined;
  readonly children: readonly LbNode[];
  /** Endpoints of a policy that picks endpoints; empty for others. */
  readonly endpoints: readonly LbEndpoint[];
}

/**
 * The state of a priority of a leaf cluster by EDS number, or of the whole leaf if the number is null. Returns null
 * if there is no such priority.
 */
export type FindStanding = (cluster: string, priority: number | null) => Standing | undefined;
