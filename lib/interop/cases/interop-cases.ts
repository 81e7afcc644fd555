import type { InteropCase } from '../interop-case';
import { failoverCases } from './failover';
import { fallbackCases } from './fallback';
import { limitCases } from './limits';
import { loadBalancingCases } from './load-balancing';
import { routingCases } from './routing';
import { securityCases } from './security';

/** Every case that can be run: those of the gRPC test description first. */
export const interopCases: readonly InteropCase[] = [
  ...loadBalancingCases,
  ...failoverCases,
  ...routingCases,
  ...limitCases,
  ...fallbackCases,
  ...securityCases,
].sort((a, b) => Number(a.origin === 'later') - Number(b.origin === 'later'));

export function findInteropCase(name: string): InteropCase | undefined {
  return interopCases.find((each) => each.name === name);
}
