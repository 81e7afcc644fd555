import type { PolledKind } from '@/lib/observation/declared-source';
import type { Target } from '../dial/target';
import type { SecurityConfig } from '../grpc/channel-security';

/** Where a list of targets is. */
export type TargetListPlace =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'dns'; readonly target: Target };

/** The setup of a polled source. */
export interface PolledSetup {
  readonly kind: PolledKind;
  readonly security?: SecurityConfig;
  /** The name that the certificate must have. Absent: the host of the target. */
  readonly serverName?: string;
  /** Milliseconds between two pings of the connection. Larger for members of lists. */
  readonly keepaliveMs?: number;
}

/** The setup of a list of targets. */
export interface TargetListSetup<Member extends PolledSetup = PolledSetup> {
  readonly kind: `${Member['kind']}-list`;
  readonly from: TargetListPlace;
  /** The setup of each source that the list finds. */
  readonly member: Member;
}
