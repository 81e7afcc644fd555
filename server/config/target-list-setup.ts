import type { PolledKind } from '@/lib/observation/declared-source';
import type { Target } from '../dial/target';
import type { SecurityConfig } from '../grpc/channel-security';

/** Where a list of targets is. */
export type TargetListPlace =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'dns'; readonly target: Target };

/** What a source of a polled kind is started with when a list finds it, or when it is named by itself. */
export interface PolledSetup {
  readonly kind: PolledKind;
  readonly security?: SecurityConfig;
  /** Whom its certificate has to name, where that is not the target's host. */
  readonly serverName?: string;
  /** Time between two looks whether the connection is alive; one of many is looked at less often. */
  readonly keepaliveMs?: number;
}

/** What a list of targets is started with. */
export interface TargetListSetup<Member extends PolledSetup = PolledSetup> {
  readonly kind: `${Member['kind']}-list`;
  readonly from: TargetListPlace;
  /** Of each source that the list finds. */
  readonly member: Member;
}
