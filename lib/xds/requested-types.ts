import { clientOf, type Profile } from './profile';
import { CDS, EDS, findResourceType, LDS, RDS } from './resource-type';

const ofGrpc: ReadonlySet<string> = new Set([LDS, RDS, CDS, EDS].map(({ typeUrl }) => typeUrl));

/**
 * Returns true if clients of the profile subscribe to the type at all. Neither gRPC nor Envoy requests those of
 * ztunnel.
 */
export function requestsType(profile: Profile, typeUrl: string): boolean {
  const type = findResourceType(typeUrl);
  return type !== undefined && (clientOf(profile) === 'envoy' || ofGrpc.has(type.typeUrl));
}
