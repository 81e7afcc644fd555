/**
 * Worst first. all-fail: every RPC to a target fails. some-fail: RPCs to a cluster fail. waits: new config is withheld, or RPCs
 * wait. frozen: the client receives no later version of its config. tls-fails: new TLS connections fail where an expired
 * certificate is verified. expires: they will, from the expiry on. unknown: not known. none: the last accepted config is in
 * effect, or no RPC uses the resource.
 */
export const impactLevels = [
  'all-fail',
  'some-fail',
  'tls-fails',
  'waits',
  'frozen',
  'expires',
  'unknown',
  'none',
] as const;
export type ImpactLevel = (typeof impactLevels)[number];

export interface ClientImpact {
  readonly level: ImpactLevel;
  /** The listener to which RPCs fail or wait; null: not known, or none. */
  readonly listener: string | null;
  readonly cluster: string | null;
  /** The filter chain whose connections or requests fail; absent: not known, or not one of several. */
  readonly chain?: string | undefined;
  /** Connections fail, as those of a TCP proxy, and not requests. */
  readonly isOfTcp?: boolean | undefined;
  /** Some requests to the cluster fail, by the subset of its hosts that they want. */
  readonly isPartial?: boolean | undefined;
  /** No client is known to run the config. */
  readonly isHypothetical?: boolean | undefined;
  /** Why, as a phrase; empty if the level says enough. */
  readonly reason: string;
}

export function rankOfImpact(level: ImpactLevel): number {
  return impactLevels.indexOf(level);
}

export function impact(level: ImpactLevel, facts: Partial<Omit<ClientImpact, 'level'>> = {}): ClientImpact {
  return { listener: null, cluster: null, reason: '', ...facts, level };
}
